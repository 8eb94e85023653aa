"""Shadow domains: what is followed beside the values of a program, each by the same walk."""
