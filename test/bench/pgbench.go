package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
)

// pgbenchRun configures the run of a script: for some seconds, or for a number of
// transactions per client. Start is the number of the last subject used up.
type pgbenchRun struct {
	name         string
	script       script
	variables    map[string]string
	clients      int
	seconds      int
	transactions int
	start        int
}

// runPgbench runs a script and returns its transactions per second. Transactions
// that fail are an error.
func (s *stack) runPgbench(ctx context.Context, run pgbenchRun) (float64, error) {
	program, err := findPgbench()
	if err != nil {
		return 0, err
	}
	file := filepath.Join(s.dir, run.name+".pgbench")
	if err := os.WriteFile(file, []byte(run.script.text), 0o600); err != nil {
		return 0, fmt.Errorf("writing a pgbench script: %w", err)
	}
	args := []string{
		"--no-vacuum", "--protocol=prepared", "--client=" + strconv.Itoa(run.clients), "--jobs=2", "--file=" + file,
		"--define=i=" + strconv.Itoa(run.start),
	}
	for name, value := range run.variables {
		args = append(args, "--define="+name+"="+value)
	}
	if run.transactions > 0 {
		args = append(args, "--transactions="+strconv.Itoa(run.transactions))
	} else {
		args = append(args, "--time="+strconv.Itoa(run.seconds))
	}
	config, err := pgx.ParseConfig(s.cluster.URL(s.database))
	if err != nil {
		return 0, fmt.Errorf("reading the database URL: %w", err)
	}
	cmd := exec.CommandContext(ctx, program, args...) //nolint:gosec // pgbench beside PostgreSQL's other programs
	cmd.Env = append(cleanEnvironment(), "PGHOST="+config.Host, "PGPORT="+strconv.Itoa(int(config.Port)),
		"PGUSER="+config.User, "PGPASSWORD="+config.Password, "PGDATABASE="+config.Database)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("running pgbench: %w\n%s", err, out)
	}
	if !regexp.MustCompile(`number of failed transactions: 0 `).Match(out) {
		return 0, fmt.Errorf("pgbench had failed transactions:\n%s", out)
	}
	rate := regexp.MustCompile(`tps = ([0-9.]+) `).FindSubmatch(out)
	if rate == nil {
		return 0, fmt.Errorf("pgbench printed no rate:\n%s", out)
	}
	return strconv.ParseFloat(string(rate[1]), 64)
}

// findPgbench looks on PATH and where Debian has the programs of PostgreSQL.
func findPgbench() (string, error) {
	if path, err := exec.LookPath("pgbench"); err == nil {
		return path, nil
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/pgbench")
	if err != nil || len(found) == 0 {
		return "", errors.New("pgbench is not on PATH: install the programs that come with PostgreSQL")
	}
	return slices.Max(found), nil
}
