package main

import (
	"bytes"
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, run(context.Background(), []string{"version"}, &out, t.Output()))
	require.Regexp(t, `^procession .+ `+runtime.Version()+` \w+/\w+\n$`, out.String())
}
