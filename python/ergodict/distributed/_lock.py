"""A folder that belongs to one run at a time, until that run ends, however it ends."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import threading

#: The file that is locked.
_NAME = "lock"

#: Folders of this process: the locks of files are between processes.
_held: set[str] = set()
_guard = threading.Lock()


class FolderLock:
    """A folder, made if need be, that is locked until it is released; the lock of a process that died is gone."""

    def __init__(self, folder: str) -> None:
        self.folder, self._key = folder, os.path.realpath(folder)
        with _guard:
            if self._key in _held:
                raise _busy(folder)
            _held.add(self._key)
        try:
            self._file = self._locked()
        except BaseException:
            self._forget()
            raise

    def _locked(self) -> int:
        path = os.path.join(self.folder, _NAME)
        while True:
            os.makedirs(self.folder, exist_ok=True)
            try:
                file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            except FileNotFoundError:
                # Deleted since it was made, by the run that had it.
                continue
            try:
                _lock(file, self.folder)
                if os.path.samestat(os.fstat(file), os.stat(path)):
                    return file
            except FileNotFoundError:
                pass
            except BaseException:
                os.close(file)
                raise
            os.close(file)

    def empty(self) -> None:
        """Deletes all that is in the folder."""
        for entry in os.scandir(self.folder):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            elif entry.name != _NAME:
                os.remove(entry.path)

    def remove(self) -> None:
        """Deletes the folder, the lock last, and lets others make it anew."""
        with contextlib.suppress(OSError):
            self.empty()
        if sys.platform != "win32":
            self._unlink()
        self.release()
        if sys.platform == "win32":
            # What is open cannot be deleted there.
            self._unlink()

    def _unlink(self) -> None:
        with contextlib.suppress(OSError):
            os.remove(os.path.join(self.folder, _NAME))
            os.rmdir(self.folder)

    def release(self) -> None:
        """Lets others have it, with what is in it."""
        os.close(self._file)
        self._forget()

    def _forget(self) -> None:
        with _guard:
            _held.discard(self._key)


def _busy(folder: str) -> BlockingIOError:
    return BlockingIOError(f"{folder}: another run with the same arguments is at it: wait until it has ended, or name another folder for scratch")


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int, folder: str) -> None:
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise _busy(folder) from error

else:
    import errno
    import fcntl

    def _lock(file: int, folder: str) -> None:
        # This kind is not inherited by forked workers, which may outlive a run that was killed.
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EAGAIN):
                raise _busy(folder) from error
            # Some file systems have no locks.
            if error.errno not in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP):
                raise
