//! SIMD lanes with run-time dispatch: the seam to pulp.
//!
//! A kernel is written once, generic over the number type (`T: Lanes`) and the instruction set (`S: Simd`), as a
//! struct that implements [`WithSimd`]; [`Isa::run`] picks the widest set the machine has. The scalar path is the
//! same code at one lane.

pub(crate) use pulp::{Simd, WithSimd};

/// An instruction set to run kernels with.
///
/// ```
/// use ergodict::linalg::Isa;
/// let names: Vec<&str> = Isa::available().into_iter().map(Isa::name).collect();
/// assert!(names[0] == "scalar" && names.contains(&Isa::detect().name()));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Isa(pulp::Arch);

impl Default for Isa {
    fn default() -> Self {
        Self::detect()
    }
}

impl Isa {
    /// The widest set this machine has, or the one the environment variable `ERGODICT_SIMD` names
    /// (`scalar`, `avx2`, `avx512`) where the machine has it.
    pub fn detect() -> Self {
        static DETECTED: std::sync::OnceLock<Isa> = std::sync::OnceLock::new();
        *DETECTED.get_or_init(|| {
            let wanted = std::env::var("ERGODICT_SIMD").unwrap_or_default();
            Self::available().into_iter().find(|isa| isa.name() == wanted).unwrap_or(Self(pulp::Arch::new()))
        })
    }

    /// All sets this machine has, the plain scalar path first.
    pub fn available() -> Vec<Self> {
        #[allow(unused_mut)]
        let mut all = vec![Self(pulp::Arch::Scalar)];
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(pulp::x86::V3::try_new().map(|s| Self(pulp::Arch::V3(s))));
            all.extend(pulp::x86::V4::try_new().map(|s| Self(pulp::Arch::V4(s))));
        }
        all
    }

    /// Its name: `scalar`, `avx2`, `avx512`, or `native` on other machines.
    pub fn name(self) -> &'static str {
        match self.0 {
            pulp::Arch::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            pulp::Arch::V3(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            pulp::Arch::V4(_) => "avx512",
            #[allow(unreachable_patterns)]
            _ => "native",
        }
    }

    /// The same set, but AVX2 in place of AVX-512.
    pub(crate) fn narrower(self) -> Self {
        #[cfg(target_arch = "x86_64")]
        if let (pulp::Arch::V4(_), Some(narrow)) = (self.0, pulp::x86::V3::try_new()) {
            return Self(pulp::Arch::V3(narrow));
        }
        self
    }

    pub(crate) fn run<K: WithSimd>(self, kernel: K) -> K::Output {
        self.0.dispatch(kernel)
    }
}

/// Vectors of a number type under an instruction set.
pub trait Lanes: Sized + Copy {
    /// A register full of numbers.
    type V<S: Simd>: Copy;
    /// A register full of raw bits.
    type Bits<S: Simd>: Copy;

    /// Numbers per register.
    fn lanes<S: Simd>() -> usize;
    /// Reads a register.
    ///
    /// # Safety
    /// `p` must be valid for a read of `lanes` numbers.
    unsafe fn load<S: Simd>(p: *const Self) -> Self::V<S>;
    /// Writes a register.
    ///
    /// # Safety
    /// `p` must be valid for a write of `lanes` numbers.
    unsafe fn store<S: Simd>(p: *mut Self, v: Self::V<S>);
    /// The same number in all lanes.
    fn splat<S: Simd>(s: S, x: Self) -> Self::V<S>;
    /// `a + b`.
    fn plus<S: Simd>(s: S, a: Self::V<S>, b: Self::V<S>) -> Self::V<S>;
    /// `a − b`.
    fn minus<S: Simd>(s: S, a: Self::V<S>, b: Self::V<S>) -> Self::V<S>;
    /// `a · b`.
    fn times<S: Simd>(s: S, a: Self::V<S>, b: Self::V<S>) -> Self::V<S>;
    /// `a / b`.
    fn over<S: Simd>(s: S, a: Self::V<S>, b: Self::V<S>) -> Self::V<S>;
    /// `a · b + c`.
    fn mul_add<S: Simd>(s: S, a: Self::V<S>, b: Self::V<S>, c: Self::V<S>) -> Self::V<S>;
    /// The larger, lane by lane.
    fn max<S: Simd>(s: S, a: Self::V<S>, b: Self::V<S>) -> Self::V<S>;
    /// The smaller, lane by lane.
    fn min<S: Simd>(s: S, a: Self::V<S>, b: Self::V<S>) -> Self::V<S>;
    /// Lanes of `yes` where `a > b`, of `no` elsewhere.
    fn select_greater<S: Simd>(
        s: S,
        a: Self::V<S>,
        b: Self::V<S>,
        yes: Self::V<S>,
        no: Self::V<S>,
    ) -> Self::V<S>;
    /// The largest lane.
    fn reduce_max<S: Simd>(s: S, a: Self::V<S>) -> Self;
    /// The sum of the lanes.
    fn reduce_sum<S: Simd>(s: S, a: Self::V<S>) -> Self;

    /// The integers `0, 1, 2 …` lane by lane, as raw bits: the tags of the first register.
    fn first_tags<S: Simd>(s: S) -> Self::Bits<S>;
    /// A small integer in all lanes.
    fn splat_bits<S: Simd>(s: S, x: u32) -> Self::Bits<S>;
    /// Integer sum.
    fn add_bits<S: Simd>(s: S, a: Self::Bits<S>, b: Self::Bits<S>) -> Self::Bits<S>;
    /// All bits but the sign and the low bits of `low`: the mask for [`Lanes::tag`].
    fn tag_mask<S: Simd>(s: S, low: u32) -> Self::Bits<S>;
    /// `|v|` with its lowest mantissa bits replaced by a tag, so that one maximum finds value and place.
    fn tag<S: Simd>(s: S, v: Self::V<S>, mask: Self::Bits<S>, tag: Self::Bits<S>) -> Self::V<S>;
    /// The tag of a tagged number.
    fn read_tag(x: Self, low: u32) -> usize;
}

macro_rules! lanes {
    ($t:ident, $bits:ident, $ibits:ident, $lanes:ident, $fs:ident, $us:ident, $splat:ident, $add:ident, $sub:ident,
     $mul:ident, $div:ident, $fma:ident, $max:ident, $min:ident, $gt:ident, $select:ident, $rmax:ident, $rsum:ident,
     $usplat:ident, $uadd:ident, $uand:ident, $uor:ident, $to_u:ident, $to_f:ident) => {
        impl Lanes for $t {
            type V<S: Simd> = S::$fs;
            type Bits<S: Simd> = S::$us;

            #[inline(always)]
            fn lanes<S: Simd>() -> usize {
                S::$lanes
            }
            #[inline(always)]
            unsafe fn load<S: Simd>(p: *const Self) -> Self::V<S> {
                // SAFETY: promised by the caller.
                unsafe { p.cast::<S::$fs>().read_unaligned() }
            }
            #[inline(always)]
            unsafe fn store<S: Simd>(p: *mut Self, v: Self::V<S>) {
                // SAFETY: promised by the caller.
                unsafe { p.cast::<S::$fs>().write_unaligned(v) }
            }
            #[inline(always)]
            fn splat<S: Simd>(s: S, x: Self) -> Self::V<S> {
                s.$splat(x)
            }
            #[inline(always)]
            fn plus<S: Simd>(s: S, a: Self::V<S>, b: Self::V<S>) -> Self::V<S> {
                s.$add(a, b)
            }
            #[inline(always)]
            fn minus<S: Simd>(s: S, a: Self::V<S>, b: Self::V<S>) -> Self::V<S> {
                s.$sub(a, b)
            }
            #[inline(always)]
            fn times<S: Simd>(s: S, a: Self::V<S>, b: Self::V<S>) -> Self::V<S> {
                s.$mul(a, b)
            }
            #[inline(always)]
            fn over<S: Simd>(s: S, a: Self::V<S>, b: Self::V<S>) -> Self::V<S> {
                s.$div(a, b)
            }
            #[inline(always)]
            fn mul_add<S: Simd>(s: S, a: Self::V<S>, b: Self::V<S>, c: Self::V<S>) -> Self::V<S> {
                s.$fma(a, b, c)
            }
            #[inline(always)]
            fn max<S: Simd>(s: S, a: Self::V<S>, b: Self::V<S>) -> Self::V<S> {
                s.$max(a, b)
            }
            #[inline(always)]
            fn min<S: Simd>(s: S, a: Self::V<S>, b: Self::V<S>) -> Self::V<S> {
                s.$min(a, b)
            }
            #[inline(always)]
            fn select_greater<S: Simd>(
                s: S,
                a: Self::V<S>,
                b: Self::V<S>,
                yes: Self::V<S>,
                no: Self::V<S>,
            ) -> Self::V<S> {
                s.$select(s.$gt(a, b), yes, no)
            }
            #[inline(always)]
            fn reduce_max<S: Simd>(s: S, a: Self::V<S>) -> Self {
                s.$rmax(a)
            }
            #[inline(always)]
            fn reduce_sum<S: Simd>(s: S, a: Self::V<S>) -> Self {
                s.$rsum(a)
            }
            #[inline(always)]
            fn first_tags<S: Simd>(_: S) -> Self::Bits<S> {
                const COUNT: [$ibits; 64] = {
                    let mut count = [0; 64];
                    let mut i = 0;
                    while i < 64 {
                        count[i] = i as $ibits;
                        i += 1;
                    }
                    count
                };
                // SAFETY: no register has more than 64 lanes.
                unsafe { COUNT.as_ptr().cast::<S::$us>().read_unaligned() }
            }
            #[inline(always)]
            fn splat_bits<S: Simd>(s: S, x: u32) -> Self::Bits<S> {
                s.$usplat($ibits::from(x))
            }
            #[inline(always)]
            fn add_bits<S: Simd>(s: S, a: Self::Bits<S>, b: Self::Bits<S>) -> Self::Bits<S> {
                s.$uadd(a, b)
            }
            #[inline(always)]
            fn tag_mask<S: Simd>(s: S, low: u32) -> Self::Bits<S> {
                s.$usplat(($ibits::MAX >> 1) & !$ibits::from(low))
            }
            #[inline(always)]
            fn tag<S: Simd>(s: S, v: Self::V<S>, mask: Self::Bits<S>, tag: Self::Bits<S>) -> Self::V<S> {
                s.$to_f(s.$uor(s.$uand(s.$to_u(v), mask), tag))
            }
            #[inline(always)]
            fn read_tag(x: Self, low: u32) -> usize {
                (x.to_bits() & $ibits::from(low)) as usize
            }
        }
    };
}
lanes!(
    f32,
    f32,
    u32,
    F32_LANES,
    f32s,
    u32s,
    splat_f32s,
    add_f32s,
    sub_f32s,
    mul_f32s,
    div_f32s,
    mul_add_e_f32s,
    max_f32s,
    min_f32s,
    greater_than_f32s,
    select_f32s,
    reduce_max_f32s,
    reduce_sum_f32s,
    splat_u32s,
    add_u32s,
    and_u32s,
    or_u32s,
    transmute_u32s_f32s,
    transmute_f32s_u32s
);
lanes!(
    f64,
    f64,
    u64,
    F64_LANES,
    f64s,
    u64s,
    splat_f64s,
    add_f64s,
    sub_f64s,
    mul_f64s,
    div_f64s,
    mul_add_e_f64s,
    max_f64s,
    min_f64s,
    greater_than_f64s,
    select_f64s,
    reduce_max_f64s,
    reduce_sum_f64s,
    splat_u64s,
    add_u64s,
    and_u64s,
    or_u64s,
    transmute_u64s_f64s,
    transmute_f64s_u64s
);
