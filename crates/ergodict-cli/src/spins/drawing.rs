//! Frames of trajectories as animations, or as a picture each.

use crate::{interrupt, maps, output, reports};
use anyhow::{Result, bail};
use ergodict::chain::Alphabet;
use ergodict::data::Trajectory;
use ergodict_report::{GifWriter, Palette, frame_png};
use std::path::Path;

/// Pixels along the longer side of a frame, where the lattice is smaller.
const FRAME_PIXELS: usize = 400;
/// Most pixels along a side of an animation, which the format has 16 bits for.
const MOST_GIF: usize = 0xffff;
/// Time between frames of an animation.
const FRAME_MS: u32 = 80;

fn is_gif(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gif"))
}

/// Finds out before the work whether `--frames` can be written.
pub(super) fn probe(target: &Path) -> Result<()> {
    if is_gif(target) {
        return output::probe(target);
    }
    if target.exists() && !target.is_dir() {
        bail!("--frames {} is a file: expected a name in .gif, or a folder", target.display());
    }
    if let Some(other) = target.extension().filter(|_| !target.is_dir()) {
        let other = other.display();
        bail!("--frames {} ends in .{other}: expected a name in .gif, or a folder", target.display());
    }
    reports::probe_folder("--frames", target)
}

/// Refuses frames that are too large to draw.
pub(super) fn check(target: &Path, shape: (usize, usize)) -> Result<()> {
    if is_gif(target) && shape.0.max(shape.1) > MOST_GIF {
        bail!(
            "--frames {}: an animation has at most {MOST_GIF} sites a side, not {}×{}: leave it out",
            target.display(),
            shape.0,
            shape.1
        );
    }
    maps::drawable("--frames", shape)
}

/// Draws the trajectory `out`; false when interrupted meanwhile, after which no animation is there.
pub(super) fn draw(out: &Path, target: &Path, alphabet: Alphabet) -> Result<bool> {
    let palette = match alphabet {
        Alphabet::Labels(_) => Palette::Labels,
        Alphabet::Angle | Alphabet::Real => Palette::Angles,
        Alphabet::PlusMinus | Alphabet::ZeroOne => Palette::BlackWhite,
    };
    let mut trajectory = Trajectory::open(out)?;
    let (shape, digits) = (trajectory.shape(), trajectory.len().to_string().len());
    let cell = (FRAME_PIXELS / shape.0.max(shape.1)).max(1);
    let (mut frame, mut angles) = (Vec::new(), Vec::new());
    let mut next = |frame: &mut Vec<i8>| {
        if !alphabet.is_real() {
            return trajectory.next_frame(frame);
        }
        let more = trajectory.next_real_frame(&mut angles)?;
        frame.clear();
        frame.extend(angles.iter().map(|angle| Palette::angle(*angle)));
        Ok(more)
    };
    if is_gif(target) {
        let drawn = output::stream(target, |file| {
            let mut gif = GifWriter::new(file, shape, palette, cell, FRAME_MS)?;
            while next(&mut frame)? {
                if interrupt::asked() {
                    bail!("interrupted");
                }
                gif.frame(&frame)?;
            }
            gif.finish()?;
            Ok(())
        });
        return if drawn.is_err() && interrupt::asked() { Ok(false) } else { drawn.map(|()| true) };
    }
    std::fs::create_dir_all(target).map_err(ergodict::Error::io(target))?;
    let mut at = 0_u64;
    while next(&mut frame)? {
        if interrupt::asked() {
            return Ok(false);
        }
        let path = target.join(format!("frame-{at:0digits$}.png"));
        output::write_bytes(&path, &crate::resolved::noted(frame_png(&frame, shape, palette, cell)?))?;
        at += 1;
    }
    Ok(true)
}
