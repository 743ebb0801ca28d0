//! Pictures and the self-contained HTML report of ergodict.
