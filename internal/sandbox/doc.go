// Package sandbox processes untrusted files in child processes, which run this program
// or another one such as pdftotext. A child has limits of memory, processor time,
// wall-clock time and output, an empty environment and no open files but its standard
// streams. It is killed together with the processes that it started. A hostile file
// therefore fails alone and does not affect the service.
//
// On Linux a child is also in a sandbox: Landlock and a seccomp filter deny it all files except its program's,
// every write, sockets, other programs, signals to processes of the service and rare system calls. Restrictions that
// the kernel does not have are left out, and Weakness names them. On other systems only the limits of wall-clock time
// and output apply.
package sandbox
