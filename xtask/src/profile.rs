//! `cargo xtask profile NAME COMMAND...`: runs a command on the Vulkan device made to look like the one of a
//! profile (`tests/profiles/NAME.json`, see `tests/vulkan_profile`), under the validation layer. Fails if the
//! command does, or if something was used that the profile's device lacks.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

type Result<T> = std::result::Result<T, String>;

/// Runs a command with a profile.
pub fn run(name: &str, command: &[String]) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let root = fs::canonicalize(&root).map_err(|e| format!("{}: {e}", root.display()))?;
    let profile = root.join("tests/profiles").join(name).with_extension("json");
    if !profile.is_file() {
        return Err(format!("there is no {}", profile.display()));
    }
    let real = real_loader()?;
    check(Command::new("cargo").args(["build", "-q", "-p", "vulkan-profile"]).current_dir(&root))?;
    let folder = root.join("target/profile");
    let (loader, complaints) = (folder.join("libvulkan.so.1"), folder.join(format!("{name}.log")));
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    // Other runs may be using the file that is there.
    let new = folder.join(format!("libvulkan.{}", std::process::id()));
    fs::copy(root.join("target/debug/libvulkan_profile.so"), &new)
        .and_then(|_| fs::rename(&new, &loader))
        .map_err(|e| format!("{}: {e}", loader.display()))?;
    fs::write(&complaints, "").map_err(|e| format!("{}: {e}", complaints.display()))?;
    let [program, arguments @ ..] = command else { return Err("no command".into()) };
    let own = env::var("LD_LIBRARY_PATH").unwrap_or_default();
    check(
        Command::new(program)
            .args(arguments)
            .env("LD_LIBRARY_PATH", format!("{}:{own}", folder.display()))
            .env("VULKAN_PROFILE", profile)
            .env("VULKAN_PROFILE_REAL", real)
            .env("VULKAN_PROFILE_LOG", &complaints)
            .env("PYROCLAST_VALIDATE", "vulkan,spirv")
            .env("PYROCLAST_VALIDATE_LOG", &complaints),
    )?;
    match fs::read_to_string(&complaints) {
        Ok(text) if text.is_empty() => Ok(()),
        Ok(text) => Err(text),
        Err(e) => Err(format!("{}: {e}", complaints.display())),
    }
}

/// The path of the Vulkan loader.
fn real_loader() -> Result<String> {
    let list = ["ldconfig", "/sbin/ldconfig"]
        .iter()
        .find_map(|tool| Command::new(tool).arg("-p").output().ok())
        .ok_or("ldconfig was not found")?;
    let text = String::from_utf8_lossy(&list.stdout).into_owned();
    let line = text.lines().find(|l| l.trim_start().starts_with("libvulkan.so.1 "));
    let path = line.and_then(|l| l.split(" => ").nth(1));
    path.map(str::to_owned).ok_or_else(|| "the Vulkan loader is not installed".to_string())
}

fn check(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{program}: {status}")),
        Err(e) => Err(format!("{program}: {e}")),
    }
}
