//! Products of dense matrices: the seam to the kernels.
//!
//! On x86-64 with AVX2 or AVX-512 these are the kernels that faer calls (`private-gemm-x86`), without faer; on
//! other processors those of `gemm`; where there are neither, plain loops, which are also what the kernels are tested against.
//!
//! Most products run on one thread. Large ones with many rows are made in parts that the threads of the pool share; the parts are the same
//! for any number of threads, so that results do not depend on it.
//!
//! On each thread `private-gemm-x86` asks for room of twice the level-3 cache, of which it uses little, and aborts the process where a limit of
//! addresses (`ulimit -v`) does not leave that much: [`check_room`] is asked before work begins.

use super::{Mat, MatRef};
use rayon::prelude::*;

/// Whether a factor enters a product as it is or transposed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    /// As it is.
    Plain,
    /// Transposed.
    Transposed,
}

/// Products of dense matrices.
pub trait Products: Sized {
    /// `dst = α·op(lhs)·op(rhs)`, or `dst += …` when `accumulate`. `dst` must have the right shape.
    fn product(
        dst: &mut Mat<Self>,
        accumulate: bool,
        lhs: (Op, MatRef<'_, Self>),
        rhs: (Op, MatRef<'_, Self>),
        alpha: f64,
    );

    /// `dst += α·op(lhs)·op(rhs)` for the columns `columns.0..columns.1` of `dst`.
    fn product_into(
        dst: &mut Mat<Self>,
        columns: (usize, usize),
        lhs: (Op, MatRef<'_, Self>),
        rhs: (Op, MatRef<'_, Self>),
        alpha: f64,
    );

    /// `dst = MᵀM` (or `M Mᵀ` when transposed), both triangles filled.
    fn gram(dst: &mut Mat<Self>, m: (Op, MatRef<'_, Self>));

    /// The same on and below the diagonal; what is above it is left to chance.
    fn gram_below(dst: &mut Mat<Self>, m: (Op, MatRef<'_, Self>));
}

macro_rules! products {
    ($t:ident) => {
        impl Products for $t {
            fn product(
                dst: &mut Mat<Self>,
                accumulate: bool,
                lhs: (Op, MatRef<'_, Self>),
                rhs: (Op, MatRef<'_, Self>),
                alpha: f64,
            ) {
                let kernel = kernels::$t().unwrap_or(plain);
                let columns = (0, dst.cols());
                multiply(kernel, (dst, columns), Part::Whole, accumulate, lhs, rhs, alpha as $t);
            }

            fn product_into(
                dst: &mut Mat<Self>,
                columns: (usize, usize),
                lhs: (Op, MatRef<'_, Self>),
                rhs: (Op, MatRef<'_, Self>),
                alpha: f64,
            ) {
                let kernel = kernels::$t().unwrap_or(plain);
                multiply(kernel, (dst, columns), Part::Whole, true, lhs, rhs, alpha as $t);
            }

            fn gram(dst: &mut Mat<Self>, m: (Op, MatRef<'_, Self>)) {
                Self::gram_below(dst, m);
                mirror(dst);
            }

            fn gram_below(dst: &mut Mat<Self>, m: (Op, MatRef<'_, Self>)) {
                let kernel = kernels::$t().unwrap_or(plain);
                let transposed = match m.0 {
                    Op::Plain => Op::Transposed,
                    Op::Transposed => Op::Plain,
                };
                below(kernel, dst, (transposed, m.1), m);
            }
        }
    };
}
products!(f32);
products!(f64);

/// Side of the squares in which a triangle is copied to the other, so that both stay in cache.
const SQUARE: usize = 32;

/// Makes a square matrix symmetric: copies what is below the diagonal to above it.
pub(crate) fn mirror<T: super::Scalar>(m: &mut Mat<T>) {
    let (n, stride) = (m.cols(), m.stride());
    let data = m.padded_mut();
    for left in (0..n).step_by(SQUARE) {
        for top in (left..n).step_by(SQUARE) {
            for i in top..(top + SQUARE).min(n) {
                for j in left..(left + SQUARE).min(i) {
                    data[i * stride + j] = data[j * stride + i];
                }
            }
        }
    }
}

/// Which entries of a product are wanted; kernels may compute the others, too.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    Lower,
}

/// A matrix as kernels take it: where it begins, and the distances between rows and between columns.
#[derive(Clone, Copy)]
struct Strided<P> {
    start: P,
    row_stride: isize,
    col_stride: isize,
}

/// `dst = α·lhs·rhs`, or `dst += …`.
#[derive(Clone, Copy)]
struct Multiplication<T> {
    rows: usize,
    cols: usize,
    depth: usize,
    /// Kernels of other processors compute the whole.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
    part: Part,
    accumulate: bool,
    alpha: T,
    lhs: Strided<*const T>,
    rhs: Strided<*const T>,
    dst: Strided<*mut T>,
}

// SAFETY: parts of a product write rows of their own, and only read what they share.
unsafe impl<T: Send + Sync> Sync for Multiplication<T> {}

/// # Safety
/// All entries within the three shapes can be read, those of `dst` written, and `dst` overlaps neither factor.
type Kernel<T> = unsafe fn(&Multiplication<T>);

/// Columns of a panel of a Gram matrix.
const PANEL: usize = 128;

/// A product that is symmetric, on and below the diagonal: large ones in panels of columns, which the threads of the pool share.
fn below<T: super::Scalar>(
    kernel: Kernel<T>,
    dst: &mut Mat<T>,
    lhs: (Op, MatRef<'_, T>),
    rhs: (Op, MatRef<'_, T>),
) {
    let (n, depth) = shape(lhs);
    if n <= PANEL
        || n * n * depth < 2 * MANY
        || (dst.rows(), dst.cols()) != (n, n)
        || shape(rhs) != (depth, n)
    {
        let columns = (0, dst.cols());
        return multiply(kernel, (dst, columns), Part::Lower, false, lhs, rhs, T::ONE);
    }
    let col_stride = dst.stride() as isize;
    let dst = Strided { start: dst.padded_mut().as_mut_ptr(), row_stride: 1, col_stride };
    let (lhs, rhs) = (strided(lhs), strided(rhs));
    let (rows, cols, alpha) = (n, n, T::ONE);
    let part = Part::Whole;
    let whole = Multiplication { rows, cols, depth, part, accumulate: false, alpha, lhs, rhs, dst };
    let whole = &whole;
    let panel = |index: usize| {
        let from = index * PANEL;
        let to = (from + PANEL).min(n);
        let piece = |part: Part, (top, bottom): (usize, usize)| {
            let mut piece = Multiplication { part, rows: bottom - top, cols: to - from, ..*whole };
            piece.lhs.start = whole.lhs.start.wrapping_offset(top as isize * whole.lhs.row_stride);
            piece.rhs.start = whole.rhs.start.wrapping_offset(from as isize * whole.rhs.col_stride);
            let place = top as isize * whole.dst.row_stride + from as isize * whole.dst.col_stride;
            piece.dst.start = whole.dst.start.wrapping_offset(place);
            // SAFETY: entries of the whole, which no other panel writes.
            unsafe { kernel(&piece) }
        };
        piece(Part::Lower, (from, to));
        if to < n {
            piece(Part::Whole, (to, n));
        }
    };
    if rayon::current_num_threads() > 1 {
        (0..n.div_ceil(PANEL)).into_par_iter().for_each(panel);
    } else {
        (0..n.div_ceil(PANEL)).for_each(panel);
    }
}

/// Checks the shapes and calls the kernel for some columns of `dst`.
fn multiply<T: super::Scalar>(
    kernel: Kernel<T>,
    (dst, (from, to)): (&mut Mat<T>, (usize, usize)),
    part: Part,
    accumulate: bool,
    lhs: (Op, MatRef<'_, T>),
    rhs: (Op, MatRef<'_, T>),
    alpha: T,
) {
    let ((rows, depth), (inner, cols)) = (shape(lhs), shape(rhs));
    assert!(
        depth == inner && dst.rows() == rows && to - from == cols && to <= dst.cols(),
        "a product of {rows}×{depth} and {inner}×{cols} into {}×{}",
        dst.rows(),
        to - from
    );
    let stride = dst.stride();
    let data = &mut dst.padded_mut()[from * stride..to * stride];
    if depth == 0 && !accumulate {
        data.fill(T::from_f64(0.0));
    }
    if rows == 0 || cols == 0 || depth == 0 {
        return;
    }
    let dst = Strided { start: data.as_mut_ptr(), row_stride: 1, col_stride: stride as isize };
    let whole = Multiplication {
        rows,
        cols,
        depth,
        part,
        accumulate,
        alpha,
        lhs: strided(lhs),
        rhs: strided(rhs),
        dst,
    };
    // SAFETY: views and matrices hold the entries of their shapes, which fit each other; `dst` is borrowed exclusively.
    unsafe { in_parts(kernel, &whole) }
}

/// Rows of a part, about.
const PART: usize = 256;
/// Bytes of a column of a tile of the kernels.
const TILE: usize = 384;
/// Multiplications from which on a product is made in parts.
const MANY: usize = 1 << 23;

/// The number of parts of a product with this many rows, and where each begins and ends: parts of whole tiles, which differ by one tile at most and are an
/// even number where there are tiles enough, so that two threads share them evenly.
fn parts<T>(rows: usize) -> (usize, impl Fn(usize) -> (usize, usize) + Sync) {
    let tile = TILE / size_of::<T>();
    let tiles = rows.div_ceil(tile);
    let count = (rows / PART).next_multiple_of(2).max(2).min(tiles);
    (count, move |at| (at * tiles / count * tile, ((at + 1) * tiles / count * tile).min(rows)))
}

/// Refuses work with products where a limit of addresses does not leave the kernels their room: plain loops would round otherwise.
///
/// # Errors
/// [`crate::Error::Memory`].
pub(crate) fn check_room() -> crate::Result<()> {
    kernels::check_room()
}

/// Runs work of this many multiplications in the pool of threads if it is large: its parallel parts then wake no thread from outside of the pool.
pub(crate) fn in_pool<R: Send>(multiplications: usize, work: impl FnOnce() -> R + Send) -> R {
    let outside = rayon::current_thread_index().is_none();
    if outside && multiplications >= MANY && rayon::current_num_threads() > 1 {
        rayon::scope(|_| work())
    } else {
        work()
    }
}

/// A large product in parts, which the threads of the pool share. The parts follow from the shape alone, and so do the bytes.
///
/// # Safety
/// As of a [`Kernel`].
unsafe fn in_parts<T: super::Scalar>(kernel: Kernel<T>, whole: &Multiplication<T>) {
    let (count, bounds) = parts::<T>(whole.rows);
    if count == 1 || whole.rows * whole.cols * whole.depth < MANY || whole.part == Part::Lower {
        // SAFETY: the caller's promise.
        return unsafe { kernel(whole) };
    }
    let part = |at: usize| {
        let (from, to) = bounds(at);
        let mut part = *whole;
        part.rows = to - from;
        part.lhs.start = whole.lhs.start.wrapping_offset(from as isize * whole.lhs.row_stride);
        part.dst.start = whole.dst.start.wrapping_offset(from as isize * whole.dst.row_stride);
        // SAFETY: rows of the whole, which no other part writes.
        unsafe { kernel(&part) }
    };
    if rayon::current_num_threads() > 1 {
        (0..count).into_par_iter().for_each(part);
    } else {
        (0..count).for_each(part);
    }
}

fn shape<T: super::Scalar>((op, m): (Op, MatRef<'_, T>)) -> (usize, usize) {
    match op {
        Op::Plain => (m.rows(), m.cols()),
        Op::Transposed => (m.cols(), m.rows()),
    }
}

fn strided<T: super::Scalar>((op, m): (Op, MatRef<'_, T>)) -> Strided<*const T> {
    let (start, stride) = (m.as_ptr(), m.stride() as isize);
    match op {
        Op::Plain => Strided { start, row_stride: 1, col_stride: stride },
        Op::Transposed => Strided { start, row_stride: stride, col_stride: 1 },
    }
}

/// The product by its definition.
unsafe fn plain<T: super::Scalar>(m: &Multiplication<T>) {
    for j in 0..m.cols as isize {
        for i in 0..m.rows as isize {
            let mut sum = T::from_f64(0.0);
            for k in 0..m.depth as isize {
                // SAFETY: i, j and k are within the shapes, which the caller vouches for.
                let (x, y) = unsafe {
                    let x = *m.lhs.start.offset(i * m.lhs.row_stride + k * m.lhs.col_stride);
                    (x, *m.rhs.start.offset(k * m.rhs.row_stride + j * m.rhs.col_stride))
                };
                sum += x * y;
            }
            // SAFETY: as above.
            let entry = unsafe { &mut *m.dst.start.offset(i * m.dst.row_stride + j * m.dst.col_stride) };
            *entry = if m.accumulate { *entry + m.alpha * sum } else { m.alpha * sum };
        }
    }
}

/// The kernels of this processor, if it has any.
#[cfg(target_arch = "x86_64")]
mod kernels {
    use super::{Kernel, Multiplication, Part};
    use crate::memory::bytes;
    use crate::{Error, Result};
    use private_gemm_x86::{Accum, DType, DstKind, IType, InstrSet, gemm};
    use std::arch::is_x86_feature_detected;
    use std::ptr::null;
    use std::sync::LazyLock;

    pub(super) fn f32() -> Option<Kernel<f32>> {
        instructions().map(|set| match set {
            InstrSet::Avx512 => call::<f32, true> as Kernel<f32>,
            InstrSet::Avx256 => call::<f32, false>,
        })
    }

    pub(super) fn f64() -> Option<Kernel<f64>> {
        instructions().map(|set| match set {
            InstrSet::Avx512 => call::<f64, true> as Kernel<f64>,
            InstrSet::Avx256 => call::<f64, false>,
        })
    }

    fn instructions() -> Option<InstrSet> {
        if is_x86_feature_detected!("avx512f") {
            Some(InstrSet::Avx512)
        } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            Some(InstrSet::Avx256)
        } else {
            None
        }
    }

    /// Threads that have the room that the kernels ask for, of those that want it: of the largest pool, and the calling one.
    fn rooms() -> (usize, usize) {
        static ROOMS: LazyLock<(usize, usize)> = LazyLock::new(|| {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            let wanted = rayon::current_num_threads().max(cores) + 1;
            let rooms: Vec<Vec<u8>> = (0..wanted).map_while(|_| reserve()).collect();
            (rooms.len(), wanted)
        });
        *ROOMS
    }

    /// The room of a thread, which is not touched.
    fn reserve() -> Option<Vec<u8>> {
        let mut room = Vec::new();
        room.try_reserve_exact(self::room()).ok().map(|()| room)
    }

    pub(super) fn check_room() -> Result<()> {
        let (found, wanted) = rooms();
        if instructions().is_none() || found == wanted {
            return Ok(());
        }
        let size = |rooms: usize| bytes((rooms * room()) as u64);
        Err(Error::Memory {
            what: format!("products of matrices on {} threads", wanted - 1),
            needed: size(wanted),
            available: size(found),
            way_out: "expected a higher limit of addresses (ulimit -v)".to_owned(),
            hint: None,
        })
    }

    /// Bytes that the kernels ask for on each thread, at most.
    fn room() -> usize {
        static ROOM: LazyLock<usize> = LazyLock::new(|| {
            let caches = (0..8).filter_map(|at| {
                let file = format!("/sys/devices/system/cpu/cpu0/cache/index{at}/size");
                let size = std::fs::read_to_string(file).ok()?;
                let size = size.trim();
                let unit = match size.chars().next_back()? {
                    'K' => 1 << 10,
                    'M' => 1 << 20,
                    'G' => 1 << 30,
                    _ => 1,
                };
                size.trim_end_matches(['K', 'M', 'G']).parse::<usize>().ok()?.checked_mul(unit)
            });
            // More than twice the largest cache, and than what is asked for where nothing is known of caches.
            3 * caches.max().unwrap_or(0) + (8 << 20)
        });
        *ROOM
    }

    unsafe fn call<T: crate::linalg::Scalar, const WIDE: bool>(m: &Multiplication<T>) {
        let (found, wanted) = rooms();
        if found < wanted {
            // Of callers without a check.
            // SAFETY: the caller's promise.
            return unsafe { super::plain(m) };
        }
        let kind = if size_of::<T>() == 4 { DType::F32 } else { DType::F64 };
        let set = if WIDE { InstrSet::Avx512 } else { InstrSet::Avx256 };
        let part = if m.part == Part::Lower { DstKind::Lower } else { DstKind::Full };
        let accumulate = if m.accumulate { Accum::Add } else { Accum::Replace };
        // No rows or columns by index (null), no diagonal between the factors (null, 0), nothing complex, one thread.
        // SAFETY: `instructions` has found the set; the rest is the caller's promise.
        unsafe {
            gemm(
                kind,
                IType::U64,
                set,
                m.rows,
                m.cols,
                m.depth,
                m.dst.start.cast(),
                m.dst.row_stride,
                m.dst.col_stride,
                null(),
                null(),
                part,
                accumulate,
                m.lhs.start.cast(),
                m.lhs.row_stride,
                m.lhs.col_stride,
                false,
                null(),
                0,
                m.rhs.start.cast(),
                m.rhs.row_stride,
                m.rhs.col_stride,
                false,
                (&raw const m.alpha).cast(),
                1,
            );
        }
    }
}

/// The kernels of this processor.
#[cfg(not(target_arch = "x86_64"))]
mod kernels {
    use super::{Kernel, Multiplication};

    pub(super) fn check_room() -> crate::Result<()> {
        Ok(())
    }

    macro_rules! kernel {
        ($t:ident, $package:ident) => {
            pub(super) fn $t() -> Option<Kernel<$t>> {
                unsafe fn call(m: &Multiplication<$t>) {
                    let (dst, lhs, rhs) = (m.dst, m.lhs, m.rhs);
                    let dst_scale = if m.accumulate { 1.0 } else { 0.0 };
                    let parallelism = gemm_common::Parallelism::None;
                    // SAFETY: the caller's promise.
                    unsafe {
                        $package::gemm::$t::get_gemm_fn()(
                            m.rows,
                            m.cols,
                            m.depth,
                            dst.start,
                            dst.col_stride,
                            dst.row_stride,
                            m.accumulate,
                            lhs.start,
                            lhs.col_stride,
                            lhs.row_stride,
                            rhs.start,
                            rhs.col_stride,
                            rhs.row_stride,
                            dst_scale,
                            m.alpha,
                            false,
                            false,
                            false,
                            parallelism,
                        );
                    }
                }
                Some(call)
            }
        };
    }
    kernel!(f32, gemm_f32);
    kernel!(f64, gemm_f64);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Scalar;
    use proptest::prelude::*;

    /// The product and the Gram matrix next to plain loops over the same numbers.
    fn check<T: Scalar>(rows: usize, cols: usize, depth: usize, ops: (Op, Op), accumulate: bool, alpha: f64) {
        let fill = |op: Op, rows: usize, cols: usize, shift: usize| {
            let (rows, cols) = if op == Op::Plain { (rows, cols) } else { (cols, rows) };
            Mat::<T>::from_fn(rows, cols, |i, j| {
                T::from_f64(((i * 31 + j * 17 + shift) % 23) as f64 / 11.0 - 1.0)
            })
        };
        let (a, b) = (fill(ops.0, rows, depth, 0), fill(ops.1, depth, cols, 5));
        let (lhs, rhs) = ((ops.0, a.as_ref()), (ops.1, b.as_ref()));
        let near = |found: &Mat<T>, want: &Mat<T>, scale: f64| {
            let allowed = T::EPSILON * (depth as f64 + 2.0) * scale;
            for (found, want) in found.padded().iter().zip(want.padded()) {
                let (found, want) = (found.to_f64(), want.to_f64());
                assert!((found - want).abs() <= allowed, "{rows}×{depth}×{cols}: {found} {want}");
            }
        };
        let mut found = fill(Op::Plain, rows, cols, 9);
        let mut want = found.clone();
        T::product(&mut found, accumulate, lhs, rhs, alpha);
        multiply(plain, (&mut want, (0, cols)), Part::Whole, accumulate, lhs, rhs, T::from_f64(alpha));
        near(&found, &want, (depth as f64 + 1.0) * (1.0 + alpha.abs()));

        let (mut found, mut want) = (Mat::zeros(cols, cols), Mat::zeros(cols, cols));
        T::gram(&mut found, rhs);
        let other = if ops.1 == Op::Plain { Op::Transposed } else { Op::Plain };
        multiply(plain, (&mut want, (0, cols)), Part::Whole, false, (other, b.as_ref()), rhs, T::ONE);
        near(&found, &want, depth as f64 + 1.0);
        assert!(
            (0..cols * cols).all(|at| found.get(at / cols, at % cols) == found.get(at % cols, at / cols))
        );
    }

    #[test]
    fn parts_are_whole_tiles_of_about_one_size() {
        for rows in (1..=1200).chain([1600, 1800, 4096, 100_003]) {
            let ((doubles, of_doubles), (singles, of_singles)) = (parts::<f64>(rows), parts::<f32>(rows));
            let doubles = (0..doubles).map(of_doubles).collect::<Vec<_>>();
            let singles = (0..singles).map(of_singles).collect::<Vec<_>>();
            for (tile, parts) in [(48, doubles), (96, singles)] {
                let ends: Vec<usize> = parts.iter().map(|part| part.1).collect();
                let begins: Vec<usize> = parts.iter().map(|part| part.0).collect();
                assert_eq!((begins[0], ends.last()), (0, Some(&rows)), "{rows}");
                assert_eq!(begins[1..], ends[..ends.len() - 1], "{rows}");
                assert!(begins.iter().all(|from| from % tile == 0), "{rows}: {begins:?}");
                let tiles = |part: &(usize, usize)| (part.1 - part.0).div_ceil(tile);
                let (least, most) = (parts.iter().map(tiles).min(), parts.iter().map(tiles).max());
                assert!(least >= Some(1) && most <= least.map(|least| least + 1), "{rows}: {parts:?}");
                assert!(parts.len() % 2 == 0 || rows <= tile, "{rows}: {parts:?}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn kernels_equal_the_triple_loop(
            rows in 0..70_usize, cols in 0..70_usize, depth in 0..70_usize, ops in 0..4_u8, accumulate: bool, alpha in -2.0..2.0_f64,
        ) {
            let op = |bit: u8| if ops & bit == 0 { Op::Plain } else { Op::Transposed };
            check::<f64>(rows, cols, depth, (op(1), op(2)), accumulate, alpha);
            check::<f32>(rows, cols, depth, (op(1), op(2)), accumulate, alpha);
        }
    }

    #[test]
    fn vectors_and_sizes_beyond_the_caches_are_products_too() {
        for (rows, cols, depth) in [
            (1, 1, 1),
            (1, 40, 3),
            (40, 1, 3),
            (5, 7, 1),
            (3, 2, 1500),
            (300, 5, 600),
            (97, 130, 513),
            (40, 600, 600),
            // In parts, and a Gram matrix in panels.
            (1100, 300, 200),
        ] {
            check::<f64>(rows, cols, depth, (Op::Transposed, Op::Plain), false, 1.0);
            check::<f32>(rows, cols, depth, (Op::Plain, Op::Transposed), true, -1.0);
        }
    }

    #[test]
    fn large_products_are_the_same_bytes_on_any_number_of_threads() {
        fn check<T: Scalar>() {
            let a = Mat::<T>::from_fn(1300, 90, |i, j| T::from_f64(((i * 31 + j * 17) % 23) as f64 / 7.0));
            let b = Mat::<T>::from_fn(90, 260, |i, j| T::from_f64(((i * 13 + j * 29) % 19) as f64 / 9.0));
            let c = Mat::<T>::from_fn(300, 260, |i, j| T::from_f64(((i * 5 + j * 3) % 17) as f64 / 3.0));
            let make = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let (mut ab, mut cc) = (Mat::zeros(1300, 260), Mat::zeros(260, 260));
                    T::product(&mut ab, false, (Op::Plain, a.as_ref()), (Op::Plain, b.as_ref()), 1.0);
                    T::gram(&mut cc, (Op::Plain, c.as_ref()));
                    (ab, cc)
                })
            };
            assert!(make(1) == make(3));
        }
        check::<f32>();
        check::<f64>();
    }

    #[test]
    fn mirrored_triangles_are_symmetric() {
        let mut m = Mat::<f64>::from_fn(75, 75, |i, j| if i < j { -1.0 } else { (100 * i + j) as f64 });
        mirror(&mut m);
        assert!((0..75).all(|i| (0..75).all(|j| m.get(i, j) == (100 * i.max(j) + i.min(j)) as f64)));
    }

    #[test]
    #[should_panic(expected = "a product of 2×3 and 4×2 into 2×2")]
    fn shapes_that_do_not_fit_are_a_bug() {
        let (a, b) = (Mat::<f64>::zeros(2, 3), Mat::zeros(4, 2));
        f64::product(&mut Mat::zeros(2, 2), false, (Op::Plain, a.as_ref()), (Op::Plain, b.as_ref()), 1.0);
    }
}
