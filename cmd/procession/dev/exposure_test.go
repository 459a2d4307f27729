package dev

import (
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// The settings of the service's listeners begin with "listen".
func TestListenAddressesHasEveryListener(t *testing.T) {
	t.Parallel()
	var c config.Config
	var flags []string
	c.VisitSettings(func(setting *pflag.Flag) {
		if strings.HasPrefix(setting.Name, "listen") {
			require.NoError(t, setting.Value.Set("127.0.0.1:0"))
			flags = append(flags, setting.Name)
		}
	})
	require.NotEmpty(t, flags)
	var found []string
	for _, a := range listenAddresses(&c, &Options{temporalListen: "127.0.0.1:0"}) {
		found = append(found, a.flag)
	}
	require.ElementsMatch(t, append(flags, "temporal-listen"), found)
}

func TestCheckOwnDatabase(t *testing.T) {
	t.Parallel()
	check := func(url string) error {
		return checkOwnDatabase(t.Context(), config.Config{Database: config.Database{DatabaseURL: url, DatabaseConnections: 4}})
	}
	require.NoError(t, check(""), "a private one")
	url := pgtest.URL(t)
	require.NoError(t, check(url), "without tenants")
	db := pgtest.Open(t, url)
	require.NoError(t, demo.Load(t.Context(), db, nil, time.Now()))
	require.NoError(t, check(url), "with those of the demo")
	separator := "?"
	if strings.Contains(url, "?") {
		separator = "&"
	}
	require.NoError(t, check(url+separator+"search_path=nothing"), "without a schema")
	require.Error(t, check("postgres://procession@127.0.0.1:1/procession"))
}
