// Command prebuild builds the temporal-server binary into the cache, so that
// tests and the local stack find it there, and prints its path.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/procession-dev/procession/devstack/temporalserver"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := buildServer(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "prebuild:", err)
		os.Exit(1)
	}
}

func buildServer(ctx context.Context) error {
	source, err := temporalserver.FindSource()
	if err != nil {
		return err
	}
	binary, err := temporalserver.Build(ctx, temporalserver.BuildOptions{Source: source, Progress: os.Stderr})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(os.Stdout, binary)
	return err
}
