package main

import (
	"fmt"
	"time"

	"github.com/procession-dev/procession/api"
)

// deprecation configures the deprecation headers for clients of API version
// 2022-10-08. Days begin in UTC.
func (c *Config) deprecation() (api.Deprecation, error) {
	var d api.Deprecation
	for _, day := range []struct {
		setting, text string
		at            *time.Time
	}{
		{"shape-a-deprecated", c.ShapeADeprecated, &d.Since},
		{"shape-a-sunset", c.ShapeASunset, &d.Sunset},
	} {
		if day.text == "" {
			continue
		}
		at, err := time.Parse(time.DateOnly, day.text)
		if err != nil {
			return d, fmt.Errorf("--%s must be a day such as 2027-01-31", day.setting)
		}
		*day.at = at
	}
	return d, nil
}
