//! The filter of system calls (SEC-10): what a program in the sandbox has no use for and
//! could reach round the walls with is refused by the kernel itself.
//!
//! It is a list of what is refused, not of what is allowed: Python's libraries use more
//! calls than anyone can list, and a new one must not break them. Written for the processor
//! that Plimsoll was built for; a call made in the way of another one ends the program.

/// A step of the kernel's little machine: code, jumps if true and if false, operand.
type Step = (u16, u8, u8, u32);

const LOAD: u16 = 0x20;
const EQUAL: u16 = 0x15;
#[cfg(target_arch = "x86_64")]
const AT_LEAST: u16 = 0x35;
const ANY_BIT: u16 = 0x45;
const RETURN: u16 = 0x06;

const ALLOW: u32 = 0x7fff_0000;
const KILL: u32 = 0x8000_0000;
const ERROR: u32 = 0x0005_0000;

/// Where the number of the call, the processor and the low half of an argument are.
const NUMBER: u32 = 0;
const PROCESSOR: u32 = 4;
const ARGUMENTS: [u32; 4] = [16, 24, 32, 40];

/// The bytes that the kernel takes, or nothing where no filter is known.
pub(super) fn bytes() -> Option<Vec<u8>> {
    let steps = own::steps()?;
    Some(
        steps
            .iter()
            .flat_map(|(code, yes, no, operand)| {
                let [a, b] = code.to_ne_bytes();
                let [c, d, e, f] = operand.to_ne_bytes();
                [a, b, *yes, *no, c, d, e, f]
            })
            .collect(),
    )
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod own {
    use libc::{
        AF_UNIX, EAFNOSUPPORT, ENOSYS, EPERM, SYS_acct, SYS_add_key, SYS_adjtimex, SYS_bpf,
        SYS_chroot, SYS_clock_adjtime, SYS_clock_settime, SYS_clone, SYS_delete_module,
        SYS_fanotify_init, SYS_finit_module, SYS_init_module, SYS_ioctl, SYS_kcmp,
        SYS_kexec_file_load, SYS_kexec_load, SYS_keyctl, SYS_lookup_dcookie, SYS_memfd_create,
        SYS_migrate_pages, SYS_mmap, SYS_mount, SYS_move_pages, SYS_mq_open, SYS_mq_unlink,
        SYS_msgctl, SYS_msgget, SYS_msgrcv, SYS_msgsnd, SYS_name_to_handle_at,
        SYS_open_by_handle_at, SYS_perf_event_open, SYS_personality, SYS_pivot_root,
        SYS_process_vm_readv, SYS_process_vm_writev, SYS_ptrace, SYS_quotactl, SYS_reboot,
        SYS_remap_file_pages, SYS_request_key, SYS_semctl, SYS_semget, SYS_semop, SYS_semtimedop,
        SYS_setdomainname, SYS_sethostname, SYS_setns, SYS_settimeofday, SYS_shmat, SYS_shmctl,
        SYS_shmdt, SYS_shmget, SYS_socket, SYS_socketpair, SYS_swapoff, SYS_swapon, SYS_syslog,
        SYS_umount2, SYS_unshare, SYS_userfaultfd, SYS_vhangup, c_long,
    };

    use super::*;

    #[cfg(target_arch = "x86_64")]
    const THIS: u32 = 0xc000_003e;
    #[cfg(target_arch = "aarch64")]
    const THIS: u32 = 0xc000_00b7;

    /// Calls that are refused whatever they ask for.
    const REFUSED: &[c_long] = &[
        // Keys of the user.
        SYS_keyctl,
        SYS_add_key,
        SYS_request_key,
        // Memory and queues that belong to no process and no file system.
        SYS_memfd_create,
        SYS_shmget,
        SYS_shmat,
        SYS_shmctl,
        SYS_shmdt,
        SYS_msgget,
        SYS_msgsnd,
        SYS_msgrcv,
        SYS_msgctl,
        SYS_semget,
        SYS_semop,
        SYS_semctl,
        SYS_semtimedop,
        SYS_mq_open,
        SYS_mq_unlink,
        SYS_remap_file_pages,
        // Other namespaces, other roots, other mounts.
        SYS_unshare,
        SYS_setns,
        SYS_mount,
        SYS_umount2,
        SYS_pivot_root,
        SYS_chroot,
        SYS_name_to_handle_at,
        SYS_open_by_handle_at,
        // Other processes.
        SYS_ptrace,
        SYS_process_vm_readv,
        SYS_process_vm_writev,
        SYS_kcmp,
        SYS_move_pages,
        SYS_migrate_pages,
        // Parts of the kernel that have had many holes.
        SYS_bpf,
        SYS_perf_event_open,
        SYS_userfaultfd,
        SYS_fanotify_init,
        SYS_lookup_dcookie,
        // The machine.
        SYS_kexec_load,
        SYS_kexec_file_load,
        SYS_init_module,
        SYS_finit_module,
        SYS_delete_module,
        SYS_syslog,
        SYS_acct,
        SYS_quotactl,
        SYS_swapon,
        SYS_swapoff,
        SYS_reboot,
        SYS_sethostname,
        SYS_setdomainname,
        SYS_settimeofday,
        SYS_clock_settime,
        SYS_clock_adjtime,
        SYS_adjtimex,
        SYS_vhangup,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_iopl,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_ioperm,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_modify_ldt,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_uselib,
        // Newer calls have one number on every processor: io_uring, the new way of mounting,
        // descriptors and advice of other processes, memory that is secret.
        425,
        426,
        427,
        428,
        429,
        430,
        431,
        432,
        433,
        438,
        440,
        442,
        443,
        447,
        467,
    ];

    const CLONE3: c_long = 435;
    /// All the flags that make a namespace.
    const NAMESPACES: u32 = 0x7e02_0000;
    const ANONYMOUS: u32 = 0x20;
    const SHARED: u32 = 0x01;
    /// Puts letters into a terminal's input, and its brother of the console.
    const TERMINAL: [u32; 2] = [0x5412, 0x541c];

    pub(super) fn steps() -> Option<Vec<Step>> {
        let refuse = |error: i32| error.try_into().map(|error: u32| (RETURN, 0, 0, ERROR | error));
        let (no, no_call, no_family) =
            (refuse(EPERM).ok()?, refuse(ENOSYS).ok()?, refuse(EAFNOSUPPORT).ok()?);
        let allow = (RETURN, 0, 0, ALLOW);
        let is = |number: c_long, skip: u8| Some((EQUAL, 0, skip, u32::try_from(number).ok()?));
        let mut steps = vec![(LOAD, 0, 0, PROCESSOR), (EQUAL, 1, 0, THIS), (RETURN, 0, 0, KILL)];
        steps.push((LOAD, 0, 0, NUMBER));
        // The calls of x32 are those of this processor with one more bit.
        #[cfg(target_arch = "x86_64")]
        steps.extend([(AT_LEAST, 0, 1, 0x4000_0000), (RETURN, 0, 0, KILL)]);
        for number in REFUSED {
            steps.extend([is(*number, 1)?, no]);
        }
        // The library then asks with `clone`, whose flags can be seen.
        steps.extend([is(CLONE3, 1)?, no_call]);
        let clone = [(LOAD, 0, 0, ARGUMENTS[0]), (ANY_BIT, 0, 1, NAMESPACES), no, allow];
        steps.push(is(SYS_clone, 4)?);
        steps.extend(clone);
        let family = u32::try_from(AF_UNIX).ok()?;
        for number in [SYS_socket, SYS_socketpair] {
            steps.push(is(number, 4)?);
            steps.extend([(LOAD, 0, 0, ARGUMENTS[0]), (EQUAL, 0, 1, family), allow, no_family]);
        }
        // Shared memory without a file stays when its mapping is cut down to a page: it is
        // then on nobody's count.
        steps.push(is(SYS_mmap, 5)?);
        steps.extend([(LOAD, 0, 0, ARGUMENTS[3]), (ANY_BIT, 0, 2, ANONYMOUS)]);
        steps.extend([(ANY_BIT, 0, 1, SHARED), no, allow]);
        steps.push(is(SYS_ioctl, 5)?);
        steps.extend([(LOAD, 0, 0, ARGUMENTS[1]), (EQUAL, 1, 0, TERMINAL[0])]);
        steps.extend([(EQUAL, 0, 1, TERMINAL[1]), no, allow]);
        // Asking for the usual one, or which one it is.
        steps.push(is(SYS_personality, 5)?);
        steps.extend([(LOAD, 0, 0, ARGUMENTS[0]), (EQUAL, 2, 0, 0)]);
        steps.extend([(EQUAL, 1, 0, u32::MAX), no, allow]);
        steps.push(allow);
        Some(steps)
    }
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod own {
    pub(super) fn steps() -> Option<Vec<super::Step>> {
        None
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// A jump past the end would make the kernel refuse the whole filter.
    #[test]
    fn every_path_ends_with_an_answer() {
        let steps = own::steps().unwrap();
        for (at, (code, yes, no, _)) in steps.iter().enumerate() {
            if *code != RETURN {
                let furthest = at + 1 + usize::from(*yes.max(no));
                assert!(furthest < steps.len(), "step {at}");
            }
        }
        assert_eq!(bytes().unwrap().len(), steps.len() * 8);
        assert!(steps.len() < 4096, "the kernel takes no more");
    }
}
