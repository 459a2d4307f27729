package dev

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cmd/procession/config"
)

func TestMovePorts(t *testing.T) {
	t.Parallel()
	free := "127.0.0.1:60000"
	c, o := config.Config{HTTP: config.HTTP{Listen: free, ListenHealth: "[::1]:1"}}, Options{temporalListen: "localhost:7233", portOffset: 100}
	require.NoError(t, movePorts(&c, &o))
	require.Equal(t, []string{"127.0.0.1:60100", "[::1]:101", "localhost:7333"}, []string{c.Listen, c.ListenHealth, o.temporalListen})
	for _, offset := range []int{5436, -101} {
		o.portOffset = offset
		require.ErrorContains(t, movePorts(&c, &o), "out of the range of ports")
	}
}
