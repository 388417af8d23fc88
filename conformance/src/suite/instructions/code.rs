//! Assembles a module with one kernel, with the types and variables that the cases of instructions use.

use rspirv::binary::Assemble;
use rspirv::dr::{Builder, Error, Operand};
use rspirv::spirv::*;

/// A module with a kernel `k(global uint *in, global uint *out, uint items)`: two inputs for each work-item,
/// and one result for each call of [`Code::result`].
pub struct Code {
    pub b: Builder,
    pub bool: Word,
    pub uchar: Word,
    pub ushort: Word,
    pub uint: Word,
    pub ulong: Word,
    pub float: Word,
    /// Arrays of four in private memory: one uninitialised, one with 5, 6, 7, 8.
    pub slots: Word,
    pub filled: Word,
    /// 64 words of local memory.
    pub shared: Word,
    /// 3, 1, 4, 1 in constant memory.
    pub table: Word,
    /// The inputs, and the index of the work-item as 32 bits.
    pub x: Word,
    pub y: Word,
    pub item: Word,
    /// Address of the inputs.
    pub input: Word,
    /// `twice(uint2-structure)`: doubles both members.
    pub twice: Word,
    pub pair: Word,
    out: Word,
    items: Word,
    results: u32,
    function: Word,
    ids: Word,
}

impl Code {
    pub fn new(version: (u8, u8), capabilities: &[Capability], extensions: &[&str]) -> Result<Code, Error> {
        let mut b = Builder::new();
        b.set_version(version.0, version.1);
        let base = [
            Capability::Addresses,
            Capability::Kernel,
            Capability::Int64,
            Capability::Int16,
            Capability::Int8,
        ];
        base.iter().chain(capabilities).for_each(|c| b.capability(*c));
        extensions.iter().for_each(|e| b.extension(*e));
        b.memory_model(AddressingModel::Physical64, MemoryModel::OpenCL);
        let [uchar, ushort, uint, ulong] = [8, 16, 32, 64].map(|bits| b.type_int(bits, 0));
        let (void, bool, float) = (b.type_void(), b.type_bool(), b.type_float(32, None));
        let ulong3 = b.type_vector(ulong, 3);
        let [zero, one, two, three, four, five, six, seven, eight, sixty_four] =
            [0, 1, 2, 3, 4, 5, 6, 7, 8, 64].map(|n| b.constant_bit32(uint, n));
        let (array, local_array) = (b.type_array(uint, four), b.type_array(uint, sixty_four));
        let pair = b.type_struct([uint, uint]);
        let global = b.type_pointer(None, StorageClass::CrossWorkgroup, uint);
        let [input_ty, private_ty, local_ty, constant_ty] = [
            (StorageClass::Input, ulong3),
            (StorageClass::Function, array),
            (StorageClass::Workgroup, local_array),
            (StorageClass::UniformConstant, array),
        ]
        .map(|(class, ty)| b.type_pointer(None, class, ty));
        let (ty, pair_ty) = (b.type_function(void, [global, global, uint]), b.type_function(pair, [pair]));
        let ids = b.variable(input_ty, None, StorageClass::Input, None);
        b.decorate(ids, Decoration::BuiltIn, [Operand::BuiltIn(BuiltIn::GlobalInvocationId)]);
        let shared = b.variable(local_ty, None, StorageClass::Workgroup, None);
        let digits = b.constant_composite(array, [three, one, four, one]);
        let table = b.variable(constant_ty, None, StorageClass::UniformConstant, Some(digits));
        b.decorate(table, Decoration::Constant, []);
        let values = b.constant_composite(array, [five, six, seven, eight]);

        let twice = b.begin_function(pair, None, FunctionControl::NONE, pair_ty)?;
        let whole = b.function_parameter(pair)?;
        b.begin_block(None)?;
        let [first, second] = [0, 1].map(|i| b.composite_extract(uint, None, whole, [i]));
        let [first, second] = [first?, second?].map(|v| b.i_mul(uint, None, v, two));
        let doubled = b.composite_construct(pair, None, [first?, second?])?;
        b.ret_value(doubled)?;
        b.end_function()?;

        let function = b.begin_function(void, None, FunctionControl::NONE, ty)?;
        let (input, out) = (b.function_parameter(global)?, b.function_parameter(global)?);
        let items = b.function_parameter(uint)?;
        b.begin_block(None)?;
        let slots = b.variable(private_ty, None, StorageClass::Function, None);
        let filled = b.variable(private_ty, None, StorageClass::Function, Some(values));
        let id = b.load(ulong3, None, ids, None, [])?;
        let id = b.composite_extract(ulong, None, id, [0])?;
        let item = b.u_convert(uint, None, id)?;
        let at = b.i_mul(uint, None, item, two)?;
        let [x, y] = [zero, one].map(|i| -> Result<Word, Error> {
            let at = b.i_add(uint, None, at, i)?;
            let at = b.in_bounds_ptr_access_chain(global, None, input, at, [])?;
            b.load(uint, None, at, None, [])
        });
        let (x, y) = (x?, y?);
        let (results, bools) = (0, bool);
        Ok(Code {
            b,
            bool: bools,
            uchar,
            ushort,
            uint,
            ulong,
            float,
            slots,
            filled,
            shared,
            table,
            x,
            y,
            item,
            input,
            twice,
            pair,
            out,
            items,
            results,
            function,
            ids,
        })
    }

    pub fn number(&mut self, n: u32) -> Word {
        self.b.constant_bit32(self.uint, n)
    }

    pub fn truth(&mut self, value: Word) -> Result<Word, Error> {
        let (yes, no) = (self.number(1), self.number(0));
        self.b.select(self.uint, None, value, yes, no)
    }

    pub fn floats(&mut self) -> Result<[Word; 2], Error> {
        let [x, y] = [self.x, self.y].map(|v| self.b.bitcast(self.float, None, v));
        Ok([x?, y?])
    }

    /// Stores the next result.
    pub fn result(&mut self, value: Word) -> Result<(), Error> {
        let number = self.number(self.results);
        self.results += 1;
        let at = self.b.i_mul(self.uint, None, number, self.items)?;
        let at = self.b.i_add(self.uint, None, at, self.item)?;
        let global = self.b.type_pointer(None, StorageClass::CrossWorkgroup, self.uint);
        let at = self.b.in_bounds_ptr_access_chain(global, None, self.out, at, [])?;
        self.b.store(at, value, None, [])
    }

    pub fn finish(self, modes: &[(ExecutionMode, &[u32])]) -> Result<Vec<u32>, Error> {
        let function = self.function;
        let mut b = self.into_builder()?;
        modes.iter().for_each(|(mode, params)| b.execution_mode(function, *mode, params));
        Ok(b.module().assemble())
    }

    /// Ends the kernel.
    pub fn into_builder(self) -> Result<Builder, Error> {
        let mut b = self.b;
        b.ret()?;
        b.end_function()?;
        // Since SPIR-V 1.4 entry points list all global variables.
        let is_late = b.version().is_some_and(|v| v >= (1, 4));
        let interface = if is_late { vec![self.ids, self.shared, self.table] } else { vec![self.ids] };
        b.entry_point(ExecutionModel::Kernel, self.function, "k", interface);
        Ok(b)
    }

    /// A pointer to an element of an array of words.
    pub fn element(&mut self, class: StorageClass, array: Word, index: Word) -> Result<Word, Error> {
        let ty = self.b.type_pointer(None, class, self.uint);
        self.b.in_bounds_access_chain(ty, None, array, [index])
    }

    pub fn load(&mut self, class: StorageClass, array: Word, index: Word) -> Result<Word, Error> {
        let at = self.element(class, array, index)?;
        self.b.load(self.uint, None, at, None, [])
    }

    /// The value modulo 4.
    pub fn low(&mut self, value: Word) -> Result<Word, Error> {
        let three = self.number(3);
        self.b.bitwise_and(self.uint, None, value, three)
    }
}
