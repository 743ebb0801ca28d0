//! Radix-2 fast Fourier transform in place, for autocovariances of long series.

/// `Z_k = Σ_t z_t exp(−2πi kt/n)` of a series whose length is a power of two, real and imaginary parts apart.
pub(crate) fn transform(re: &mut [f64], im: &mut [f64]) {
    let n = re.len();
    debug_assert!(n.is_power_of_two() && im.len() == n);
    if n < 2 {
        return;
    }
    for i in 0..n {
        let j = i.reverse_bits() >> (usize::BITS - n.trailing_zeros());
        if i < j {
            re.swap(i, j);
            im.swap(i, j);
        }
    }
    let turn = -std::f64::consts::TAU / n as f64;
    let roots: Vec<(f64, f64)> = (0..n / 2).map(|k| (turn * k as f64).sin_cos()).collect();
    let mut half = 1;
    while half < n {
        let stride = n / (2 * half);
        for (re, im) in re.chunks_exact_mut(2 * half).zip(im.chunks_exact_mut(2 * half)) {
            let ((re, re_high), (im, im_high)) = (re.split_at_mut(half), im.split_at_mut(half));
            for k in 0..half {
                let (sin, cos) = roots[k * stride];
                let x = re_high[k] * cos - im_high[k] * sin;
                let y = re_high[k] * sin + im_high[k] * cos;
                (re_high[k], im_high[k]) = (re[k] - x, im[k] - y);
                (re[k], im[k]) = (re[k] + x, im[k] + y);
            }
        }
        half *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::transform;

    #[test]
    fn it_is_the_sum_it_stands_for() {
        for n in [1usize, 2, 4, 8, 64] {
            let z: Vec<(f64, f64)> =
                (0..n).map(|t| (((t * 37 + 5) % 11) as f64, ((t * 17 + 3) % 7) as f64)).collect();
            let (mut re, mut im): (Vec<f64>, Vec<f64>) = z.iter().copied().unzip();
            transform(&mut re, &mut im);
            for k in 0..n {
                let (mut x, mut y) = (0.0, 0.0);
                for (t, (a, b)) in z.iter().enumerate() {
                    let (sin, cos) = (-std::f64::consts::TAU * (k * t) as f64 / n as f64).sin_cos();
                    x += a * cos - b * sin;
                    y += a * sin + b * cos;
                }
                assert!((re[k] - x).abs() < 1e-10 && (im[k] - y).abs() < 1e-10, "{n}: {k}");
            }
        }
    }
}
