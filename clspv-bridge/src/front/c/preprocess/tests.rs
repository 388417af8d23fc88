use super::*;
use crate::options::{CompileRequest, FrontConfig, Header, Options};

/// Text of the tokens of a source, separated by blanks where white space was, and its log.
fn with(source: &str, headers: &[(&str, &str)], preprocessor: &[&str]) -> (String, String) {
    let options = Options {
        preprocessor: preprocessor.iter().map(|p| (*p).to_owned()).collect(),
        ..Options::default()
    };
    let headers: Vec<Header> =
        headers.iter().map(|(n, t)| Header { name: (*n).into(), text: (*t).into() }).collect();
    let config = FrontConfig {
        extensions: vec!["cl_khr_fp64".into(), "cl_khr_fp16".into()],
        opencl_version: 310,
        image_support: true,
        ..FrontConfig::default()
    };
    let mut session = Session::new(&options);
    let input = CompileRequest { headers: &headers, ..CompileRequest::new(source, &options, &config) };
    let tokens = preprocess(&mut session, &input);
    let mut text = String::new();
    for token in &tokens {
        if !text.is_empty() && (token.after_space || token.at_line_start) {
            text.push(' ');
        }
        if token.kind == TokenKind::Pragma {
            text.push_str("#pragma ");
        }
        text.push_str(token.text(&session.symbols));
    }
    (text.trim().to_owned(), session.render())
}

/// Tokens of a source that has no diagnostics.
fn clean(source: &str) -> String {
    let (text, log) = with(source, &[], &[]);
    assert_eq!(log, "", "{source}");
    text
}

/// First lines of the messages of a source.
fn messages(source: &str) -> Vec<String> {
    let (_, log) = with(source, &[], &[]);
    log.lines().filter(|l| l.starts_with('<')).map(str::to_owned).collect()
}

#[test]
fn objects_and_functions_are_expanded() {
    assert_eq!(clean("#define A 1\nA B A"), "1 B 1");
    assert_eq!(clean("#define F(x,y) x-y\nF(1,(2,3)) F ( a b , ) F"), "1-(2,3) a b- F");
    assert_eq!(clean("#define A B\n#define B A\nA B"), "A B");
    assert_eq!(clean("#define f(x) x f\nf(1)(2)(3)"), "1 f(2)(3)");
    assert_eq!(clean("#define E\na E b E\nc"), "a b c");
    assert_eq!(clean("#define F() x\nF() F( ) F"), "x x F");
    assert_eq!(clean("#define F(x) [x]\nF(\n1\n) F\n(2)"), "[1] [2]");
    assert_eq!(clean("#define F(x) [x]\nF(\n#ifdef F\n1\n#else\n2\n#endif\n)"), "[1]");
    // C11 6.10.3.5, examples 3 and 4.
    let source = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n\
        #define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n\
        #define r(x,y) x ## y\n#define str(x) # x\n\
        f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n\
        p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };\nchar c[2][6] = { str(hello), str() };";
    let want = "f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1); \
        f(2 * (2+(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1))^m(0,1); \
        int i[] = { 1, 23, 4, 5, }; char c[2][6] = { \"hello\", \"\" };";
    assert_eq!(clean(source).replace(' ', ""), want.replace(' ', ""));
}

#[test]
fn operators_paste_and_stringify() {
    let source = "#define xstr(s) str(s)\n#define str(s) # s\n#define glue(a, b) a ## b\n\
        #define xglue(a, b) glue(a, b)\n\
        #define HIGHLOW \"hello\"\n#define LOW LOW \", world\"\n\
        xstr(strncmp(\"abc\\0d\", \"abc\", '\\4') == 0) str(: @\\n)\nglue(HIGH, LOW);\nxglue(HIGH, LOW)";
    let want = "\"strncmp(\\\"abc\\\\0d\\\", \\\"abc\\\", '\\\\4') == 0\" \": @\\n\" \
        \"hello\"; \"hello\" \", world\"";
    assert_eq!(clean(source), want);
    assert_eq!(
        clean("#define t(x,y,z) x ## y ## z\nt(1,2,3) t(,4,5) t(6,,7) t(8,9,) t(10,,) t(,,)"),
        "123 45 67 89 10"
    );
    assert_eq!(
        clean(
            "#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n\
             #define join(c, d) in_between(c hash_hash d)\njoin(x, y)"
        ),
        "\"x ## y\""
    );
    assert_eq!(
        clean("#define S(x) #x\nS( a  b\n c ) S(\"\\\"\") S('\"') S(\\) S(<:)"),
        "\"a b c\" \"\\\"\\\\\\\"\\\"\" \"'\\\"'\" \"\" \"<:\""
    );
    assert_eq!(
        clean("#define C(a,b) a##b\nC(+,+) C(1,e) C(.,5) C(L,\"x\") C(f,loat)4 C(<,<=)"),
        "++ 1e .5 L\"x\" float4 <<="
    );
    assert_eq!(
        messages("#define C(a,b) a##b\nC(+,;)"),
        [
            "<stdin>:2:1: error: pasting formed '+;', an invalid preprocessing token",
            "<stdin>:1:17: note: expanded from macro 'C'",
        ]
    );
}

#[test]
fn variable_arguments() {
    let source = "#define F(a,...) g(a, ##__VA_ARGS__) h(a __VA_OPT__(,) __VA_ARGS__)\nF(1) F(1,2) F(1,2,3)";
    assert_eq!(clean(source), "g(1) h(1) g(1,2) h(1 , 2) g(1,2,3) h(1 , 2,3)");
    assert_eq!(clean("#define P(f, args...) p(f, ## args)\nP(a) P(a, b, c)"), "p(a) p(a, b, c)");
    assert_eq!(clean("#define V(...) #__VA_ARGS__\nV() V(a, b)"), "\"\" \"a, b\"");
    assert_eq!(clean("#define W(x,...) a __VA_OPT__((x##x __VA_ARGS__)) b\nW(1) W(1,2)"), "a b a (11 2) b");
}

#[test]
fn conditions_choose_groups() {
    let choose = |condition: &str| clean(&format!("#if {condition}\nyes\n#else\nno\n#endif"));
    for holds in [
        "1",
        "!0",
        "1+1==2",
        "-1<0",
        "(1?2:3)==2",
        "defined X || defined(__LINE__)",
        "0xff == 255 && 'a' == 97",
        "1 || 1/0",
        "7 % 4 == 3",
        "~0 == -1",
        "1 << 4 == 16",
        "-8 >> 1 == -4",
        "2u > -1 == 0",
        "true",
        "__OPENCL_C_VERSION__ == 120 && __OPENCL_VERSION__ >= CL_VERSION_3_1",
        "__has_attribute(__overloadable__)",
        "1 ? 2, 3 : 0 || 1",
    ] {
        if !holds.contains(", ") {
            assert_eq!(choose(holds), "yes", "{holds}");
        }
    }
    for fails in [
        "0",
        "X",
        "0 && 1/0",
        "1 ? 0 : 1",
        "-1 > 0",
        "__has_builtin(nothing)",
        "3 & 4",
        "__has_include(<no>)",
    ] {
        assert_eq!(choose(fails), "no", "{fails}");
    }
    let chain = |a: u32| {
        clean(&format!(
            "#define A {a}\n#if A == 1\n1\n#if 0\nx\n#elif 1\ny\n#endif\n\
             #elif A == 2\n2\n#elif A == 2\n3\n#else\n4\n#endif"
        ))
    };
    assert_eq!([chain(1), chain(2), chain(3)], ["1 y", "2", "4"]);
    assert_eq!(clean("#ifdef A\na\n#elifndef A\nb\n#endif\n#ifndef __FILE__\nc\n#endif"), "b");
    assert_eq!(clean("#if 0\n#if 1\n#else\n#endif\n' \" \n/* \n#endif */\n#else\n#endif\nx"), "x");
}

#[test]
fn wrong_conditions_are_errors() {
    for (condition, message) in [
        ("1 2", "token is not a valid binary operator in a preprocessor subexpression"),
        ("(1", "expected ')' in preprocessor expression"),
        ("1.0", "floating point literal in preprocessor expression"),
        ("1/0", "division by zero in preprocessor expression"),
        ("+", "expected value in expression"),
        (")", "expected value in expression"),
        ("\"a\"", "invalid token at start of a preprocessor expression"),
        ("1 ? 2", "expected ':'"),
        ("defined", "macro name missing"),
        ("defined(X", "missing ')' after 'defined'"),
        ("08", "invalid digit '8' in octal constant"),
        ("1,2", "expected end of line in preprocessor expression"),
        ("foo(2)", "function-like macro 'foo' is not defined"),
        ("", "expected value in expression"),
    ] {
        let (text, log) = with(&format!("#if {condition}\nyes\n#else\nno\n#endif"), &[], &[]);
        assert!(text == "no" && log.contains(&format!("error: {message}\n")), "{condition}: {log}");
    }
    assert!(messages("#if 1\n")[0].ends_with(":1:2: error: unterminated conditional directive"));
    assert!(messages("#endif")[0].ends_with("error: #endif without #if"));
    assert!(messages("#if 1\n#else\n#else\n#endif")[0].ends_with("error: #else after #else"));
}

#[test]
fn headers_are_included() {
    let headers = [
        ("a.h", "#pragma once\n1 __FILE__ __INCLUDE_LEVEL__\n"),
        ("sub/b.h", "#include \"c.h\"\n"),
        ("sub/c.h", "2\n"),
        ("c.h", "3\n#if 1\n"),
    ];
    let source = "#include \"a.h\"\n#include <a.h>\n#define B <sub/b.h>\n#include B\n\
        __LINE__ __has_include(\"./sub/../a.h\")";
    assert_eq!(with(source, &headers, &[]), ("1 \"a.h\" 1 2 5 1".into(), String::new()));
    let (text, log) = with("#include \"c.h\"\n4", &headers, &[]);
    assert_eq!(text, "3 4");
    let want = "In file included from <stdin>:1:\nc.h:2:2: error: unterminated conditional directive\n\
\x20   2 | #if 1\n      |  ^~\n";
    assert_eq!(log, format!("{want}1 error generated.\n"));
    let (text, log) = with("1\n#include <no.h>\n2", &headers, &[]);
    assert_eq!(text, "1");
    let want = "<stdin>:2:10: fatal error: 'no.h' file not found\n\
\x20   2 | #include <no.h>\n      |          ^~~~~~\n1 error generated.\n";
    assert_eq!(log, want);
    let (_, log) = with("#include \"r.h\"", &[("r.h", "#include \"r.h\"\n")], &[]);
    assert!(log.contains("#include nested too deeply"), "{log}");
}

#[test]
fn files_are_included_from_folders() {
    let root = std::env::temp_dir().join(format!("pyroclast-include-{}", std::process::id()));
    for (name, text) in
        [("a/x.h", "#include_next <x.h>\n#include \"y.h\"\n"), ("b/x.h", "b"), ("a/y.h", "y\u{e9}")]
    {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let folders: Vec<String> = ["a", "b"].iter().map(|f| format!("-I{}", root.join(f).display())).collect();
    let (options, config) = (Options { preprocessor: folders, ..Options::default() }, FrontConfig::default());
    let mut session = Session::new(&options);
    let input = CompileRequest::new("#include <x.h>\n", &options, &config);
    let tokens = preprocess(&mut session, &input);
    let text: Vec<&str> = tokens.iter().map(|t| t.text(&session.symbols)).collect();
    assert_eq!((text, session.render()), (vec!["b", "y\u{e9}", ""], String::new()));
    assert_eq!(session.dependencies(), [root.join("a/x.h"), root.join("b/x.h"), root.join("a/y.h")]);
    std::fs::remove_dir_all(root).unwrap();
}

#[test]
fn options_define_macros() {
    let options = ["-DA", "-DB=x y", "-DF(a)=[a]", "-DC=1\nint", "-DD", "-UD", "-D__OPENCL_VERSION__=1"];
    let (text, log) = with("A B F(2) C D __OPENCL_VERSION__", &[], &options);
    assert_eq!(text, "1 x y [2] 1 D 1");
    assert!(log.starts_with("<command line>:7:9: warning: '__OPENCL_VERSION__' macro redefined"), "{log}");
    assert_eq!(
        clean("M_PI FLT_MAX NAN __IMAGE_SUPPORT__ cl_khr_fp64 M_PI_H CL_VERSION_3_1 __FINITE_MATH_ONLY__"),
        "0x1.921fb54442d18p+1 0x1.fffffep127f as_float(2147483647) 1 1 \
         3.14159265358979323846264338327950288h 310 0"
    );
    assert_eq!(
        clean("kernel_exec(4, float4)"),
        "__kernel __attribute__((work_group_size_hint(4, 1, 1))) __attribute__((vec_type_hint(float4)))"
    );
    assert_eq!(
        clean("__COUNTER__ __COUNTER__ __LINE__ __FILE__ __BASE_FILE__"),
        "0 1 1 \"<stdin>\" \"<stdin>\""
    );
}

#[test]
fn lines_and_pragmas() {
    assert_eq!(
        clean("#line 10 \"x.cl\"\n__LINE__ __FILE__\n# 20 \"y.cl\" 2\n__LINE__ __FILE__"),
        "10 \"x.cl\" 20 \"y.cl\""
    );
    assert_eq!(
        clean(
            "#define N 4\n#pragma unroll N\n#pragma OPENCL EXTENSION N : enable // x\n\
             _Pragma(\"unroll(2)\") a"
        ),
        "#pragma unroll 4 #pragma OPENCL EXTENSION N : enable #pragma unroll(2) a"
    );
    assert_eq!(
        clean("#define U(n) _Pragma(STR(unroll n)) STR(n)\n#define STR(x) #x\nU(3)"),
        "#pragma unroll 3 \"3\""
    );
    assert_eq!(
        clean(
            "#define A 1\n#pragma push_macro(\"A\")\n#undef A\n#define A 2\nA\n#pragma pop_macro(\"A\")\nA"
        ),
        "2 1"
    );
    assert_eq!(clean("#define M(x) x\nM(__LINE__\n__LINE__)"), "2 3");
    assert_eq!(clean("#define L __LINE__\n#define M(x) L\n\nM(\n1)"), "5");
}

#[test]
fn macros_end_with_their_directive() {
    let headers = [("a.h", "1\n")];
    let (text, _) = with("#define H \"a.h\" x\n#include H\n#define L 7 \"f\" y\n#line L\n2", &headers, &[]);
    assert_eq!(text, "1 2");
    let (text, _) = with("#define D defined + x\n#if D\n#elif D\n#endif\n3 D", &[], &[]);
    assert_eq!(text, "3 defined + x");
}

#[test]
fn wrong_directives_are_reported() {
    for (source, message) in [
        ("#foo", "1:2: error: invalid preprocessing directive"),
        ("#error  don't  x ", "1:2: error: don't  x"),
        ("#warning a", "1:2: warning: a [-W#warnings]"),
        ("#define f(x) x\n#define f(x) y", "2:9: warning: 'f' macro redefined [-Wmacro-redefined]"),
        ("#define", "1:8: error: macro name missing"),
        ("#define 3", "1:9: error: macro name must be an identifier"),
        ("#define defined", "1:9: error: 'defined' cannot be used as a macro name"),
        ("#define X(a,", "1:13: error: missing ')' in macro parameter list"),
        ("#define X(a,a)", "1:13: error: duplicate macro parameter name 'a'"),
        ("#define X(a) #b", "1:15: error: '#' is not followed by a macro parameter"),
        ("#define X ##", "1:11: error: '##' cannot appear at start of macro expansion"),
        ("#define X a ##", "1:13: error: '##' cannot appear at end of macro expansion"),
        ("#undef f f", "1:10: warning: extra tokens at end of #undef directive [-Wextra-tokens]"),
        ("#define Z(a,b)\nZ(1)", "2:4: error: too few arguments provided to function-like macro invocation"),
        ("#define Y()\nY(1)", "2:3: error: too many arguments provided to function-like macro invocation"),
        ("#define Y(x)\nY(1", "2:1: error: unterminated function-like macro invocation"),
        ("#include", "1:9: error: expected \"FILENAME\" or <FILENAME>"),
        ("#line x", "1:7: error: #line directive requires a positive integer argument"),
        ("#undef __FILE__", "1:8: warning: undefining builtin macro [-Wbuiltin-macro-redefined]"),
    ] {
        assert_eq!(messages(source)[0], format!("<stdin>:{message}"), "{source}");
    }
    // An equal definition is not a redefinition.
    assert_eq!(
        clean("#define f(x) x + 1\n#define f(x)  x  +  1 /* */\n#define INT_MAX 2147483647\nf(2)"),
        "2 + 1"
    );
}

/// Log of a source under a small limit of work.
fn limited(source: &str) -> String {
    let (options, config) = (Options::default(), FrontConfig::default());
    let headers = [Header { name: "a".into(), text: "#include \"a\"\n#include \"a\"\n".into() }];
    let input = CompileRequest { headers: &headers, ..CompileRequest::new(source, &options, &config) };
    let mut session = Session::new(&options);
    let mut preprocessor = Preprocessor::new(&mut session, &input);
    preprocessor.predefine(&input);
    preprocessor.work = 1 << 20;
    preprocessor.source(source);
    session.render()
}

#[test]
fn work_is_limited() {
    let mut source = String::from("#define A0 x x\n");
    for i in 1..64 {
        source += &format!("#define A{i} A{} A{}\n", i - 1, i - 1);
    }
    let log = limited(&(source + "A63"));
    assert!(log.contains("fatal error: macro expansion produces too many tokens"), "{log}");
    let mut source = String::from("#define S0(x) #x\n");
    for i in 1..64 {
        source += &format!("#define S{i}(x) S{}(x x)\n", i - 1);
    }
    let log = limited(&(source + "S63(a)"));
    assert!(log.contains("fatal error: macro expansion produces too many tokens"), "{log}");
    let log = limited(&format!("#define F(x) x\n{}1{}", "F(".repeat(400), ")".repeat(400)));
    assert!(log.contains("fatal error: macro invocations nested too deeply"), "{log}");
    for condition in ["(", "!", "1?", "1-(", "- "] {
        let log = limited(&format!("#if {}1\n#endif", condition.repeat(20_000)));
        assert!(log.contains("error: preprocessor expression nested too deeply"), "{log}");
    }
    let log = limited("#include \"a\"");
    assert!(log.contains("fatal error: #include nested too deeply"), "{log}");
}
