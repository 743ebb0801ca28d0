//! A scan as a table of data: a row for each temperature.

use super::ScanPoint;
use crate::chain::Quantity;
use serde_json::{Map, Value, json};

/// Columns `temperature`; `energy`, `energy-error`, `energy-r-hat`, `energy-ess` (the smaller one of bulk and tail) and, where it is known, `energy-exact`, the same of every quantity; and with parallel tempering
/// `exchange-rate`. What is not known is NaN.
///
/// ```
/// use ergodict::{chain::{Quantity, diagnostics::Mixing}, run::{ScanPoint, ScanTable}};
/// let mut estimate = Mixing::from_series(&[[1.0, 2.0]]);
/// estimate.error = 0.5;
/// let point = ScanPoint { temperature: 2.0, estimates: vec![estimate], exchange_rate: None, exact: None };
/// let table = ScanTable::new(&["energy".parse::<Quantity>()?], &[point]);
/// assert_eq!(table.to_text(","), "temperature,energy,energy-error,energy-r-hat,energy-ess\n2,1.5,0.5,,\n");
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct ScanTable {
    /// Names of the columns.
    pub head: Vec<String>,
    /// Rows, ascending by temperature.
    pub rows: Vec<Vec<f64>>,
}

impl ScanTable {
    /// The table of what is known at each temperature.
    pub fn new(quantities: &[Quantity], points: &[ScanPoint]) -> Self {
        let exchanges = points.iter().any(|point| point.exchange_rate.is_some());
        let has_exact = |quantity: &Quantity| points.iter().any(|one| one.exact_value(*quantity).is_some());
        let mut head = vec!["temperature".to_owned()];
        for quantity in quantities {
            head.push(quantity.to_string());
            head.extend(["error", "r-hat", "ess"].map(|of| format!("{quantity}-{of}")));
            head.extend(has_exact(quantity).then(|| format!("{quantity}-exact")));
        }
        head.extend(exchanges.then(|| "exchange-rate".to_owned()));
        let row = |point: &ScanPoint| {
            let mut row = vec![point.temperature];
            for (quantity, estimate) in quantities.iter().zip(&point.estimates) {
                let ess = estimate.ess_bulk.min(estimate.ess_tail);
                row.extend([estimate.mean, estimate.error, estimate.r_hat, ess]);
                let exact = || point.exact_value(*quantity).unwrap_or(f64::NAN);
                row.extend(has_exact(quantity).then(exact));
            }
            row.extend(exchanges.then(|| point.exchange_rate.unwrap_or(f64::NAN)));
            row
        };
        let rows = points.iter().map(row).collect();
        Self { head, rows }
    }

    /// As text with a line for the names and for each row; what is not known is empty.
    pub fn to_text(&self, separator: &str) -> String {
        let cell = |x: &f64| if x.is_nan() { String::new() } else { x.to_string() };
        let lines = self.rows.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join(separator));
        let all = [self.head.join(separator)].into_iter().chain(lines);
        all.map(|line| line + "\n").collect()
    }

    /// As a JSON array with an object for each row; what is not known is null.
    pub fn to_json(&self) -> Value {
        let object = |row: &Vec<f64>| {
            let cells = self.head.iter().cloned().zip(row.iter().map(|x| json!(x)));
            Value::Object(cells.collect::<Map<_, _>>())
        };
        Value::Array(self.rows.iter().map(object).collect())
    }
}
