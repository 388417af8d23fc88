//! Ends tools and removes temporary folders if this process is killed in the middle of a build.
//!
//! A watcher is a shell whose standard input is a pipe that only this process holds. However this process
//! ends, the shell then reads the end of the pipe and acts. When the work is done, the watcher is killed
//! first. (PR_SET_PDEATHSIG would need code between fork and exec, and cannot remove folders.)
//!
//! A watcher has a process group of its own, as the tools have, so that signals for the application's group
//! reach neither. Without a shell there is no watcher; builds work all the same.

use super::descriptors::reserve_standard_descriptors;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A watcher; dropping it ends it.
pub struct Watch(Option<Child>);

impl Watch {
    /// Kills the process group of this leader if this process ends.
    pub fn of_group(leader: u32) -> Watch {
        Watch::start("kill -s KILL -- -\"$1\"", leader.to_string().as_ref())
    }

    /// Removes a folder if this process ends. Call it before making the folder.
    pub fn of_folder(folder: &Path) -> Watch {
        // A tool that is being killed at the same time may add a file during the first removal.
        Watch::start("rm -rf \"$1\" || rm -rf \"$1\"", folder.as_os_str())
    }

    #[cfg(unix)]
    fn start(action: &str, operand: &OsStr) -> Watch {
        use std::os::unix::process::CommandExt;
        let script = format!("trap '' HUP INT TERM; read -r line; {action}");
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(script).arg("pyroclast-watch").arg(operand);
        command.env_clear().env("PATH", "/usr/bin:/bin").process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let _reserved = reserve_standard_descriptors();
        Watch(command.spawn().ok())
    }

    #[cfg(not(unix))]
    fn start(_action: &str, _operand: &OsStr) -> Watch {
        Watch(None)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            // Killed before its pipe is closed, or it would act.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watcher_acts_only_at_the_end_of_the_pipe() {
        let folder =
            |name: &str| std::env::temp_dir().join(format!("pyroclast watch {name} {}", std::process::id()));
        let (kept, removed) = (folder("kept"), folder("removed"));
        for path in [&kept, &removed] {
            std::fs::create_dir_all(path.join("inside")).unwrap();
        }
        drop(Watch::of_folder(&kept));
        let mut watch = Watch::of_folder(&removed);
        let mut child = watch.0.take().unwrap();
        // Simulates the end of this process.
        drop(child.stdin.take());
        assert!(child.wait().is_ok());
        assert!(kept.is_dir() && !removed.exists());
        std::fs::remove_dir_all(kept).unwrap();
    }
}
