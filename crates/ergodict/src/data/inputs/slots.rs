//! Mapped files where a handler of signals can look at them: it can neither wait for a lock nor allocate.

use std::ffi::{CStr, CString, OsStr, c_char};
use std::fs::File;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Maps at a time; of more, the first are looked at.
const MOST: usize = 256;
/// A slot without a file, one that is being filled, and one whose map is being covered.
const FREE: i32 = -1;
const TAKEN: i32 = -2;
const COVERING: i32 = -3;

struct Place {
    file: AtomicI32,
    start: AtomicUsize,
    length: AtomicUsize,
    path: AtomicPtr<c_char>,
    /// Zeros stand for something that was in the file, or may do so soon.
    covered: AtomicBool,
}

static ON: AtomicBool = AtomicBool::new(false);
static PAGE: AtomicUsize = AtomicUsize::new(4096);
static LISTEN: Mutex<Option<fn()>> = Mutex::new(None);
static PLACES: [Place; MOST] = [const {
    Place {
        file: AtomicI32::new(FREE),
        start: AtomicUsize::new(0),
        length: AtomicUsize::new(0),
        path: AtomicPtr::new(std::ptr::null_mut()),
        covered: AtomicBool::new(false),
    }
}; MOST];

pub(super) fn start() {
    // SAFETY: it is a question.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    PAGE.store(usize::try_from(page).unwrap_or(4096), Ordering::SeqCst);
    ON.store(true, Ordering::SeqCst);
}

/// Watches mapped files from now on. `listen` is called whenever one is mapped: it sees to it that SIGBUS ends up in [`cover_cut_off`].
///
/// ```
/// ergodict::data::watch_maps(|| ());
/// assert_eq!(ergodict::data::cut_off_input(), None, "no file is mapped yet");
/// ```
pub fn watch_maps(listen: fn()) {
    *LISTEN.lock().unwrap_or_else(PoisonError::into_inner) = Some(listen);
    start();
}

/// A mapped file among those that are looked at.
#[derive(Debug)]
pub(super) struct Slot(Option<usize>);

impl Slot {
    pub(super) fn new(path: &Path, file: &File, map: &[u8]) -> Self {
        let name = CString::new(path.as_os_str().as_bytes()).ok().filter(|_| ON.load(Ordering::SeqCst));
        let Some(name) = name else { return Self(None) };
        let listen = *LISTEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listen) = listen {
            listen();
        }
        let take = |place: &Place| {
            place.file.compare_exchange(FREE, TAKEN, Ordering::SeqCst, Ordering::SeqCst).is_ok()
        };
        let Some(at) = PLACES.iter().position(take) else { return Self(None) };
        let place = &PLACES[at];
        // Never freed: a handler may be looking at it.
        place.path.store(name.into_raw(), Ordering::SeqCst);
        place.start.store(map.as_ptr().addr(), Ordering::SeqCst);
        place.length.store(map.len(), Ordering::SeqCst);
        place.covered.store(false, Ordering::SeqCst);
        place.file.store(file.as_raw_fd(), Ordering::SeqCst);
        Self(Some(at))
    }

    /// Zeros stand for something that was in the file.
    pub(super) fn is_covered(&self) -> bool {
        self.0.is_some_and(|at| PLACES[at].covered.load(Ordering::SeqCst))
    }
}

/// The path of a mapped file where zeros stand for something that was in it.
pub(super) fn covered() -> Option<PathBuf> {
    PLACES.iter().find_map(|place| {
        let mapped = !matches!(place.file.load(Ordering::SeqCst), FREE | TAKEN);
        let path = place.path.load(Ordering::SeqCst);
        let covered = mapped && place.covered.load(Ordering::SeqCst) && !path.is_null();
        // SAFETY: what is in a slot with a file is a C string that is never freed.
        covered.then(|| OsStr::from_bytes(unsafe { CStr::from_ptr(path) }.to_bytes()).into())
    })
}

impl Drop for Slot {
    fn drop(&mut self) {
        let Some(at) = self.0 else { return };
        let free = |file| (file != COVERING).then_some(FREE);
        while PLACES[at].file.fetch_update(Ordering::SeqCst, Ordering::SeqCst, free).is_err() {
            std::hint::spin_loop();
        }
    }
}

impl Place {
    /// The file of this descriptor is shorter than its map.
    fn is_cut(&self, file: i32) -> Option<usize> {
        // SAFETY: the file is open until after its slot is free; were it closed this moment, the call fails, or is about another file, which is
        // shorter or not, and the process is ending, or its map is no longer read.
        let now = rustix::fs::fstat(unsafe { BorrowedFd::borrow_raw(file) }).ok()?;
        let size = usize::try_from(now.st_size).ok()?;
        (size < self.length.load(Ordering::SeqCst)).then_some(size)
    }

    /// Puts zeros where there is nothing to read, from the page of this address on, or of no address from the end of the file on.
    fn cover(&self, address: Option<usize>) -> bool {
        let (start, length) = (self.start.load(Ordering::SeqCst), self.length.load(Ordering::SeqCst));
        let page = PAGE.load(Ordering::SeqCst);
        let file = self.file.load(Ordering::SeqCst);
        let from = match address.map(|address| address.wrapping_sub(start)) {
            Some(inside) if inside < length.next_multiple_of(page) => Some(inside / page * page),
            Some(_) => return false,
            None if self.covered.load(Ordering::SeqCst) => return false,
            None => None,
        };
        if file < 0 {
            // Another thread may be at it.
            return file == COVERING;
        }
        let from = from.or_else(|| Some(self.is_cut(file)?.next_multiple_of(page)));
        let Some(from) = from.filter(|from| *from < length) else { return false };
        if self.file.compare_exchange(file, COVERING, Ordering::SeqCst, Ordering::SeqCst).is_err() {
            return true;
        }
        if (start, length) != (self.start.load(Ordering::SeqCst), self.length.load(Ordering::SeqCst)) {
            // Another map took the slot meanwhile, for a descriptor of the same number: a fault of ours happens again, and finds what is there.
            self.file.store(file, Ordering::SeqCst);
            return true;
        }
        // Before there are zeros: who reads them in another thread must not find the map good.
        self.covered.store(true, Ordering::SeqCst);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_FIXED;
        let at = std::ptr::without_provenance_mut(start + from);
        // SAFETY: the pages are those of the map, which is there until its slot is free, and that waits for us. What reads them reads zeros.
        let zeros = unsafe { libc::mmap(at, length - from, libc::PROT_READ, flags, -1, 0) };
        self.file.store(file, Ordering::SeqCst);
        zeros != libc::MAP_FAILED
    }
}

/// The path of a mapped file that is shorter now than it was, for a handler of SIGBUS: it takes no lock and allocates nothing.
/// None before [`watch_inputs`](super::watch_inputs).
///
/// ```
/// ergodict::data::watch_inputs();
/// assert_eq!(ergodict::data::cut_off_input(), None, "no file is mapped");
/// ```
pub fn cut_off_input() -> Option<&'static CStr> {
    PLACES.iter().find_map(|place| {
        let file = place.file.load(Ordering::SeqCst);
        let path = place.path.load(Ordering::SeqCst);
        let cut = file >= 0 && place.is_cut(file).is_some() && !path.is_null();
        // SAFETY: what is in a slot with a file is a C string that is never freed.
        cut.then(|| unsafe { CStr::from_ptr(path) })
    })
}

/// For a handler of SIGBUS in a process that has to go on: puts zeros where a mapped file of ours cannot be read, at the address of the fault
/// or, of a signal without one that means us, where files were cut off. What was read is refused by [`Reading::check`](super::Reading::check).
/// False where the fault is not ours. It takes no lock and allocates nothing.
///
/// ```
/// assert!(!ergodict::data::cover_cut_off(8), "no file is mapped there");
/// ```
pub fn cover_cut_off(address: usize) -> bool {
    let ours = PLACES.iter().any(|place| place.cover(Some(address)));
    ours || PLACES.iter().fold(false, |any, place| place.cover(None) | any)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::data::{MappedFile, Reading};

    #[test]
    fn what_is_cut_off_reads_as_zeros_once_it_is_covered() {
        start();
        let folder = tempfile::tempdir().unwrap();
        let page = PAGE.load(Ordering::SeqCst);
        for by_address in [true, false] {
            let path = folder.path().join(format!("{by_address}"));
            std::fs::write(&path, vec![7; 4 * page + 9]).unwrap();
            let map = MappedFile::map(&path, &File::open(&path).unwrap(), true).unwrap();
            File::options().write(true).open(&path).unwrap().set_len(page as u64 + 5).unwrap();
            // No page that is gone is touched before.
            let last = map.as_ptr().addr() + 4 * page + 8;
            assert!(cover_cut_off(if by_address { last } else { 1 }));
            assert_eq!((map[page], map[4 * page + 8]), (7, 0));
            if by_address {
                assert!(cover_cut_off(map.as_ptr().addr() + 2 * page));
            }
            assert_eq!(map[2 * page..], vec![0; 2 * page + 9]);
            assert!(map.check().is_err());
        }
    }

    #[test]
    fn zeros_are_refused_also_where_the_file_is_as_it_was() {
        start();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("whole");
        std::fs::write(&path, [7_u8; 9]).unwrap();
        let map = MappedFile::map(&path, &File::open(&path).unwrap(), true).unwrap();
        map.check().unwrap();
        let reading = Reading::begin();
        // As where the disk cannot be read.
        assert!(cover_cut_off(map.as_ptr().addr() + 3));
        assert_eq!(map[..], [0; 9]);
        assert!(matches!(map.check(), Err(Error::Changed { path: changed }) if changed == path));
        assert!(reading.check().is_err());
        drop(map);
        assert!(reading.check().is_err());
        // The slot is as new.
        MappedFile::map(&path, &File::open(&path).unwrap(), true).unwrap().check().unwrap();
    }
}
