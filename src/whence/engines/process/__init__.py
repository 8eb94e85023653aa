"""The common part of engines that run a process with whence's runtime: launch, judge, decode, collect."""
