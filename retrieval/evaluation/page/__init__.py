"""One page of all benchmarks: tables and plots without anything from outside, and the change since the last page."""
