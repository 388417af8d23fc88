//! Profiles: what a device has, read from a file in the format of Vulkan-Profiles (a JSON schema of Khronos).
//!
//! Capabilities are merged without regard to their structures: names of features and properties are unique.
//! Features that no structure lists are absent. Limits bound those of the real device.

use ash::vk;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

/// Features that devices of Vulkan 1.n must have.
const REQUIRED: &[(u32, &[&str])] = &[
    (
        2,
        &[
            "timelineSemaphore",
            "hostQueryReset",
            "uniformBufferStandardLayout",
            "shaderSubgroupExtendedTypes",
        ],
    ),
    (
        3,
        &[
            "synchronization2",
            "maintenance4",
            "vulkanMemoryModel",
            "vulkanMemoryModelDeviceScope",
            "bufferDeviceAddress",
            "subgroupSizeControl",
            "computeFullSubgroups",
            "shaderIntegerDotProduct",
            "shaderZeroInitializeWorkgroupMemory",
        ],
    ),
    (
        4,
        &[
            "shaderInt16",
            "shaderInt8",
            "storageBuffer8BitAccess",
            "storageBuffer16BitAccess",
            "scalarBlockLayout",
        ],
    ),
];

/// Capabilities of a device.
#[derive(Default)]
pub struct Profile {
    /// Version of Vulkan, without the patch number.
    pub api: u32,
    extensions: HashSet<String>,
    features: HashSet<String>,
    properties: HashMap<String, Value>,
}

impl Profile {
    /// The profile in the file that `VULKAN_PROFILE` names; an empty one if it cannot be read.
    pub fn get() -> &'static Profile {
        static EMPTY: OnceLock<Profile> = OnceLock::new();
        Profile::load().as_ref().unwrap_or_else(|_| EMPTY.get_or_init(Profile::default))
    }

    /// The profile, or why it cannot be read.
    pub fn load() -> &'static Result<Profile, String> {
        static PROFILE: OnceLock<Result<Profile, String>> = OnceLock::new();
        PROFILE.get_or_init(|| {
            let path = std::env::var("VULKAN_PROFILE").map_err(|e| format!("VULKAN_PROFILE: {e}"))?;
            let text = std::fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"))?;
            Profile::read(&text).map_err(|e| format!("{path}: {e}"))
        })
    }

    /// Parses a file's text. All its capabilities belong to the device; the first profile has the version.
    pub fn read(text: &str) -> Result<Profile, String> {
        let file: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
        let object = |value: &Value| value.as_object().cloned().unwrap_or_default();
        let profiles = object(&file["profiles"]);
        let version = profiles.values().next().and_then(|p| p["api-version"].as_str());
        let numbers: Vec<u32> = version.unwrap_or_default().split('.').flat_map(str::parse).collect();
        let [1, minor, ..] = numbers[..] else { return Err("no api-version 1.x".into()) };
        let mut profile = Profile {
            api: vk::make_api_version(0, 1, minor, 0),
            extensions: HashSet::new(),
            features: HashSet::new(),
            properties: HashMap::new(),
        };
        for (_, names) in REQUIRED.iter().filter(|(version, _)| minor >= *version) {
            profile.features.extend(names.iter().map(|name| name.to_string()));
        }
        for capability in object(&file["capabilities"]).values() {
            profile.extensions.extend(object(&capability["extensions"]).into_iter().map(|(name, _)| name));
            for structure in object(&capability["features"]).values() {
                let fields = object(structure).into_iter();
                profile.features.extend(fields.filter(|(_, has)| has == &Value::Bool(true)).map(|(n, _)| n));
            }
            for structure in object(&capability["properties"]).values() {
                profile.properties.extend(object(&structure["limits"]));
                profile.properties.extend(object(structure).into_iter().filter(|(name, _)| name != "limits"));
            }
        }
        Ok(profile)
    }

    /// Whether the device lists the extension. All list the one that names the driver: its quirks remain.
    pub fn has_extension(&self, name: &str) -> bool {
        name == "VK_KHR_driver_properties" || self.extensions.contains(name)
    }

    /// Whether the instance lists the extension. Later versions of Vulkan include all that matter.
    pub fn has_instance_extension(&self, name: &str) -> bool {
        self.api >= vk::API_VERSION_1_1 || !name.starts_with("VK_KHR_") || self.extensions.contains(name)
    }

    /// Whether the device has the feature or boolean property with the name of a field of `ash`.
    pub fn has(&self, field: &str) -> bool {
        let name = name_of(field);
        self.features.contains(&name) || self.properties.get(&name) == Some(&Value::Bool(true))
    }

    /// Bounds a number of the real device.
    pub fn bound(&self, field: &str, real: f64) -> f64 {
        let name = name_of(field);
        match self.properties.get(&name).and_then(Value::as_f64) {
            Some(own) if name.starts_with("max") => own.min(real),
            Some(own) if name.starts_with("min") => own.max(real),
            Some(own) => own,
            None => real,
        }
    }

    /// Bounds an array of numbers of the real device.
    pub fn bound_all(&self, field: &str, real: &mut [u32]) {
        let own = self.properties.get(&name_of(field)).and_then(Value::as_array);
        for (real, own) in real.iter_mut().zip(own.into_iter().flatten().filter_map(Value::as_u64)) {
            *real = (*real).min(own as u32);
        }
    }

    /// The classes of sub-group operations; `None` if the profile does not say.
    pub fn subgroup_operations(&self) -> Option<vk::SubgroupFeatureFlags> {
        use vk::SubgroupFeatureFlags as F;
        let names =
            self.properties.get("supportedOperations").or(self.properties.get("subgroupSupportedOperations"));
        let flag = |name: &Value| match name.as_str().unwrap_or_default() {
            "VK_SUBGROUP_FEATURE_BASIC_BIT" => F::BASIC,
            "VK_SUBGROUP_FEATURE_VOTE_BIT" => F::VOTE,
            "VK_SUBGROUP_FEATURE_ARITHMETIC_BIT" => F::ARITHMETIC,
            "VK_SUBGROUP_FEATURE_BALLOT_BIT" => F::BALLOT,
            "VK_SUBGROUP_FEATURE_SHUFFLE_BIT" => F::SHUFFLE,
            "VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT" => F::SHUFFLE_RELATIVE,
            "VK_SUBGROUP_FEATURE_CLUSTERED_BIT" => F::CLUSTERED,
            "VK_SUBGROUP_FEATURE_QUAD_BIT" => F::QUAD,
            _ => F::empty(),
        };
        names?.as_array().map(|names| names.iter().map(flag).fold(F::empty(), |all, f| all | f))
    }

    /// The newest SPIR-V that the device accepts, as in the header of a module.
    pub fn spirv(&self) -> u32 {
        match vk::api_version_minor(self.api) {
            3.. => 0x1_0600,
            2 => 0x1_0500,
            1 if self.has_extension("VK_KHR_spirv_1_4") => 0x1_0400,
            1 => 0x1_0300,
            _ => 0x1_0000,
        }
    }
}

/// Vulkan's name of a field: `shader_int8` is `shaderInt8`.
fn name_of(field: &str) -> String {
    let mut words = field.split('_');
    let mut name = words.next().unwrap_or_default().to_string();
    for word in words {
        let (first, rest) = word.split_at(1.min(word.len()));
        name += &first.to_uppercase();
        name += rest;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_are_read() {
        let profile = Profile::read(
            r#"{"capabilities": {"all": {
                "extensions": {"VK_KHR_spirv_1_4": 1},
                "features": {"VkPhysicalDeviceFeatures": {"shaderInt16": true, "shaderInt64": false}},
                "properties": {"VkPhysicalDeviceProperties": {"limits": {
                    "maxPushConstantsSize": 128, "minMemoryMapAlignment": 4096}}}}},
                "profiles": {"P": {"api-version": "1.1.128", "capabilities": ["all"]}}}"#,
        )
        .unwrap();
        assert_eq!((profile.api, profile.spirv()), (vk::API_VERSION_1_1, 0x1_0400));
        assert!(profile.has("shader_int16") && !profile.has("shader_int64") && !profile.has("shader_int8"));
        assert_eq!(profile.bound("max_push_constants_size", 256.0), 128.0);
        assert_eq!(profile.bound("min_memory_map_alignment", 64.0), 4096.0);
        assert_eq!(profile.bound("max_storage_buffer_range", 7.0), 7.0);
        assert_eq!(name_of("max_image_dimension1_d"), "maxImageDimension1D");
        assert!(Profile::read("{}").is_err());
        let old = Profile::read(r#"{"profiles": {"P": {"api-version": "1.0.68"}}}"#).unwrap();
        assert_eq!(old.spirv(), 0x1_0000);
        let extensions = ["VK_EXT_debug_utils", "VK_KHR_get_physical_device_properties2"];
        assert_eq!(extensions.map(|name| old.has_instance_extension(name)), [true, false]);
        assert_eq!(extensions.map(|name| profile.has_instance_extension(name)), [true, true]);
    }
}
