//! Image files: PNG, JPEG, TIFF and PNM, as gray and as color.

#![no_main]

use ergodict::data::Image;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    ergodict_fuzz::as_file(bytes, "", |path| {
        for color in [false, true] {
            if let Ok((image, notes)) = Image::open(path, color) {
                let (rows, columns) = image.shape();
                assert_eq!(image.values().len(), rows * columns * image.channels());
                assert!(image.values().iter().all(|value| (0.0..=1.0).contains(value)) && !notes.to_string().is_empty());
            }
        }
    });
});
