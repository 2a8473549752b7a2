//! How the allocator of glibc keeps what was freed (REL-7).
//!
//! glibc begins by mapping blocks of 128 KB and more on their own, so that freeing one gives it
//! back. But with each such block that is freed it raises that bound, up to 32 MB: after one long
//! answer all others are cut out of the heap, which is not given back as long as anything small
//! stands behind them. One answer of 30 MB left 90 MB for good; with a fixed bound it leaves 20.

/// Blocks of this size and more are given back to the system when they are freed.
pub const LARGE_BLOCK_BYTES: usize = 256 << 10;

/// Heaps for threads; each keeps what was freed in it. By default there are eight a core.
pub const HEAP_COUNT: usize = 4;

/// Keeps the bound of large blocks where it is, for the rest of the process. To be called before
/// there are threads. Does nothing where the allocator is another one.
#[allow(unsafe_code, reason = "there is no safe way to tell glibc")]
pub fn give_back_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: `mallopt` takes two numbers and changes what later calls of `malloc` do with
        // memory that is free. Nothing that was allocated is touched, and a number that it does
        // not take is refused.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES as libc::c_int);
            libc::mallopt(libc::M_ARENA_MAX, HEAP_COUNT as libc::c_int);
        }
    }
}
