"""What engines share that start a process with our runtime in it: launch, judge, decode, collect."""
