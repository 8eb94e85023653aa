"""Labels of domains that rules name: a shadow domain of optimised code."""
