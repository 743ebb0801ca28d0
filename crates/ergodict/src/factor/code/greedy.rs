//! Greedy (Gauss–Southwell) coordinate descent, two columns at a time.
//!
//! Each pass over a column does three things at once: it subtracts the last step's column of `G̃` from the residual
//! `p`, finds the step every coordinate would take, and keeps the largest. The place of the largest rides in the
//! low bits of its value, so the search is one maximum. Two columns are interleaved because a single one waits for
//! that maximum most of the time.

use super::quadratic::Quadratic;
use super::rule::Rule;
use crate::linalg::simd::{Simd, WithSimd};
use crate::linalg::{Mat, Scalar};
use std::marker::PhantomData;

/// A column to be worked on, and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Task<T> {
    /// Its index in the chunk.
    pub(super) column: usize,
    /// Stop when no step is longer than this.
    pub(super) until: T,
    /// Steps it may still take.
    pub(super) budget: u32,
    /// The longest step left when it stopped.
    pub(super) longest: T,
}

/// Runs the tasks to their ends.
pub(super) struct Greedy<'a, T, R> {
    pub(super) quadratic: &'a Quadratic<T>,
    /// Residuals `p`, a column each.
    pub(super) residual: &'a mut Mat<T>,
    /// Negated codes, a column each.
    pub(super) negated: &'a mut Mat<T>,
    pub(super) tasks: &'a mut [Task<T>],
    pub(super) rule: PhantomData<R>,
}

/// A column in work: the step to be applied to its residual in the next pass.
#[derive(Clone, Copy)]
struct Slot<T> {
    task: usize,
    residual: *mut T,
    negated: *mut T,
    gram: *const T,
    step: T,
}

impl<T: Scalar, R: Rule> WithSimd for Greedy<'_, T, R> {
    /// Coordinate steps taken.
    type Output = u64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, s: S) -> u64 {
        let stride = self.residual.stride();
        let r = self.quadratic.gram.cols();
        let low = (stride.next_power_of_two() - 1) as u32;
        let aux = self.quadratic.aux.padded().as_ptr();
        let gram = self.quadratic.gram.padded().as_ptr();
        let (residual, negated) =
            (self.residual.padded_mut().as_mut_ptr(), self.negated.padded_mut().as_mut_ptr());
        debug_assert_eq!(self.quadratic.gram.stride(), stride);
        let tasks = self.tasks;
        let open = |task: usize, tasks: &[Task<T>]| {
            let offset = tasks[task].column * stride;
            // SAFETY: a task's column is one of the chunk's.
            unsafe {
                Slot {
                    task,
                    residual: residual.add(offset),
                    negated: negated.add(offset),
                    gram,
                    step: T::ZERO,
                }
            }
        };
        let mut steps = 0u64;
        // Reads the winner of a pass: the next step, or the end of the task.
        let settle = |slot: &mut Slot<T>, tagged: T, tasks: &mut [Task<T>], steps: &mut u64| -> bool {
            let k = T::read_tag(tagged, low).min(r - 1);
            let task = &mut tasks[slot.task];
            // SAFETY: k < r, and the slot's columns have r entries; so has `aux` and each of the r Gram columns.
            unsafe {
                let m = slot.negated.add(k);
                let e = R::step(*slot.residual.add(k), *m, *aux.add(k));
                if e.abs() <= task.until || task.budget == 0 {
                    task.longest = e.abs();
                    return true;
                }
                *m -= e;
                slot.step = e;
                slot.gram = gram.add(k * stride);
            }
            task.budget -= 1;
            *steps += 1;
            false
        };
        let mut next = 2;
        let mut slots = match tasks.len() {
            0 => return 0,
            1 => {
                single::<T, S, R>(s, open(0, tasks), stride, low, aux, |slot, tagged| {
                    settle(slot, tagged, tasks, &mut steps)
                });
                return steps;
            }
            _ => [open(0, tasks), open(1, tasks)],
        };
        loop {
            let tagged = pass::<T, S, R, 2>(s, &slots, stride, low, aux);
            for i in 0..2 {
                if settle(&mut slots[i], tagged[i], tasks, &mut steps) {
                    if next < tasks.len() {
                        slots[i] = open(next, tasks);
                        next += 1;
                    } else {
                        let mut last = slots[1 - i];
                        // The second slot of this pass may not have been read yet.
                        if i == 0 && settle(&mut last, tagged[1], tasks, &mut steps) {
                            return steps;
                        }
                        single::<T, S, R>(s, last, stride, low, aux, |slot, tagged| {
                            settle(slot, tagged, tasks, &mut steps)
                        });
                        return steps;
                    }
                }
            }
        }
    }
}

/// Works one column to its end.
#[inline(always)]
fn single<T: Scalar, S: Simd, R: Rule>(
    s: S,
    mut slot: Slot<T>,
    stride: usize,
    low: u32,
    aux: *const T,
    mut settle: impl FnMut(&mut Slot<T>, T) -> bool,
) {
    loop {
        let [tagged] = pass::<T, S, R, 1>(s, &[slot], stride, low, aux);
        if settle(&mut slot, tagged) {
            return;
        }
    }
}

/// One pass over `N` columns: apply the pending steps, return the tagged longest next ones.
#[inline(always)]
fn pass<T: Scalar, S: Simd, R: Rule, const N: usize>(
    s: S,
    slots: &[Slot<T>; N],
    stride: usize,
    low: u32,
    aux: *const T,
) -> [T; N] {
    let lanes = T::lanes::<S>();
    let mask = T::tag_mask(s, low);
    let stride_tag = T::splat_bits(s, lanes as u32);
    let mut tags = T::first_tags(s);
    let zero = T::splat(s, T::ZERO);
    let mut best = [zero; N];
    let steps: [T::V<S>; N] = std::array::from_fn(|i| T::splat(s, -slots[i].step));
    let mut at = 0;
    while at < stride {
        for i in 0..N {
            // SAFETY: columns are padded to whole registers; `at + lanes ≤ stride`.
            unsafe {
                let g = T::load::<S>(slots[i].gram.add(at));
                let p = T::mul_add(s, steps[i], g, T::load::<S>(slots[i].residual.add(at)));
                T::store::<S>(slots[i].residual.add(at), p);
                let a = if R::AUX { T::load::<S>(aux.add(at)) } else { zero };
                let e = R::steps::<T, S>(s, p, T::load::<S>(slots[i].negated.add(at)), a);
                best[i] = T::max(s, best[i], T::tag(s, e, mask, tags));
            }
        }
        tags = T::add_bits(s, tags, stride_tag);
        at += lanes;
    }
    std::array::from_fn(|i| T::reduce_max(s, best[i]))
}
