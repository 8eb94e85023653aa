"""Shadow domains: what is followed beside the values of a program, one row each."""
