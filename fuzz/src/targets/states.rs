//! Models, checkpoints, sums, and what travels between processes: each with its checksum as it is and made right.

use crate::seeds;
use crate::support::{as_file, in_folder, sealed, sealed_model, sealed_sums};
use ergodict::model::Model;
use ergodict::reconstruct::network::{ShareOutcome, ShareTask, SortedSums, merged_sums};
use ergodict::run::{Checkpoint, RoundOutcome, RoundTask, Sections, Stop};
use std::path::Path;
use std::time::Duration;

/// Models: one that is read can be written and read again.
pub(crate) fn model(bytes: &[u8]) {
    let path = Path::new("m.safetensors");
    for bytes in [bytes.to_vec(), sealed_model(bytes)] {
        let Ok(model) = Model::from_bytes(&bytes, path, None) else { continue };
        let _ = model.dominance();
        let _ = serde_json::to_string(&model.provenance);
        let again = model.to_bytes(path).expect("a model that was read can be written");
        let again = Model::from_bytes(&again, path, None).expect("a model that was written can be read");
        assert_eq!((again.w.rows(), again.w.cols()), (model.w.rows(), model.w.cols()));
    }
}

/// Checkpoints, of the run that the seeds are of.
pub(crate) fn checkpoint(bytes: &[u8]) {
    for bytes in [bytes, &sealed(bytes)] {
        as_file(bytes, ".checkpoint", |path| {
            if let Ok((_, Some(sections))) = Checkpoint::open(path, true, &seeds::identity()) {
                let _ = sections.to_bytes();
            }
        });
    }
}

/// The state of a job, whose kind is the first byte: it is refused, or the job advances from it.
pub(crate) fn job(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let Ok(sections) = Sections::from_bytes(bytes) else { return };
    in_folder(|folder| {
        seeds::with_job(*kind, folder, |job| {
            if job.restore(&sections).is_ok() {
                let _ = (job.done(), job.text(), job.news());
                let _ = job.advance(Duration::ZERO, &Stop::after(1));
                let _ = job.save(&mut Sections::default());
            }
        });
    });
}

/// Sums and counts of pairs.
pub(crate) fn sums(bytes: &[u8]) {
    let read = |path: &Path| {
        let Ok(sums) = SortedSums::open(path) else { return };
        let Ok(pairs) = merged_sums(&[sums.clone(), sums], 0..u32::MAX) else { return };
        for pair in pairs {
            if pair.is_err() {
                return;
            }
        }
    };
    as_file(bytes, "", read);
    as_file(&sealed_sums(bytes), "", read);
}

/// Tasks of learning in rounds and their outcomes.
pub(crate) fn task(bytes: &[u8]) {
    for bytes in [bytes, &sealed(bytes)] {
        if let Ok(task) = RoundTask::from_bytes(bytes) {
            let again = task.to_bytes().expect("a task that was read can be sent");
            RoundTask::from_bytes(&again).expect("and read again");
            if task.minibatches <= 2 && task.batch <= 64 && task.burn_in <= 64 && task.every <= 64 {
                let _ = task.run(&seeds::task_context(), &|| false);
            }
        }
        if let Ok(outcome) = RoundOutcome::from_bytes(bytes) {
            let _ = outcome.to_bytes();
        }
    }
}

/// Shares of a reconstruction and their outcomes.
pub(crate) fn share(bytes: &[u8]) {
    for bytes in [bytes, &sealed(bytes)] {
        if let Ok(task) = ShareTask::from_bytes(bytes) {
            let again = task.to_bytes().expect("a task that was read can be sent");
            ShareTask::from_bytes(&again).expect("and read again");
            if task.samples <= 64 && task.burn_in <= 64 && task.every <= 64 {
                in_folder(|folder| {
                    let _ = task.run(&seeds::share_place(), &folder.join("share"), &|| false);
                });
            }
        }
        if let Ok(outcome) = ShareOutcome::from_bytes(bytes) {
            let _ = outcome.to_bytes();
        }
    }
}
