package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"
)

// statement is one statement that the service executed, with its parameters as
// text; one that is absent is NULL.
type statement struct {
	sql    string
	params map[int]*string
}

// A record of the log begins with this mark, the virtual transaction and a blank;
// lines that continue a record begin with a tab.
const logMark = "bench:"

// allowCapture lets the parameters of statements be logged in sessions that
// begin from now on. Nothing is logged before captureTransactions asks for it.
func (s *stack) allowCapture(ctx context.Context) error {
	return s.alter(ctx,
		"ALTER DATABASE "+s.database+" SET log_error_verbosity = 'default'",
		"ALTER SYSTEM SET log_line_prefix = '"+logMark+"%v '",
		"SELECT pg_reload_conf()")
}

func (s *stack) alter(ctx context.Context, statements ...string) error {
	for _, sql := range statements {
		if _, err := s.pool.Exec(ctx, sql); err != nil {
			return fmt.Errorf("changing a setting of PostgreSQL: %w", err)
		}
	}
	return nil
}

// captureTransactions returns the transactions that the service executes for
// one call of request: what PostgreSQL itself has logged. Transactions are
// recognised by marker, a value among their parameters that request must use.
// As the setting that has statements logged takes a moment to reach all
// sessions, request is called, each time with a new marker, until the log has
// want transactions of it.
func (s *stack) captureTransactions(
	ctx context.Context, want int, request func() (marker string, err error),
) (captured [][]statement, err error) {
	if err := s.alter(ctx, "ALTER SYSTEM SET log_statement = 'all'", "SELECT pg_reload_conf()"); err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(err, s.alter(ctx, "ALTER SYSTEM RESET log_statement", "SELECT pg_reload_conf()"))
	}()
	limited, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	err = until(limited, 20*time.Millisecond, func(context.Context) (bool, error) {
		info, err := os.Stat(s.cluster.LogFile())
		if err != nil {
			return false, fmt.Errorf("reading PostgreSQL's log: %w", err)
		}
		marker, err := request()
		if err != nil {
			return false, err
		}
		captured, err = readTransactions(s.cluster.LogFile(), info.Size(), marker)
		return len(captured) == want, err
	})
	return captured, err
}

// captureReads returns the statements about a table that the service executes
// for one call of request: what PostgreSQL itself has logged.
func (s *stack) captureReads(ctx context.Context, table string, request func() error) (captured []statement, err error) {
	if err := s.alter(ctx, "ALTER SYSTEM SET log_statement = 'all'", "SELECT pg_reload_conf()"); err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(err, s.alter(ctx, "ALTER SYSTEM RESET log_statement", "SELECT pg_reload_conf()"))
	}()
	limited, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	err = until(limited, 20*time.Millisecond, func(context.Context) (bool, error) {
		info, err := os.Stat(s.cluster.LogFile())
		if err != nil {
			return false, fmt.Errorf("reading PostgreSQL's log: %w", err)
		}
		if err := request(); err != nil {
			return false, err
		}
		all, err := readStatements(s.cluster.LogFile(), info.Size())
		captured = nil
		for _, list := range all {
			for _, one := range list {
				if strings.Contains(one.sql, table) {
					captured = append(captured, one)
				}
			}
		}
		return len(captured) > 0, err
	})
	return captured, err
}

// readTransactions returns those of the transactions that were logged after
// offset, from BEGIN to COMMIT, that have marker among their parameters, in
// their order.
func readTransactions(path string, offset int64, marker string) ([][]statement, error) {
	all, err := readStatements(path, offset)
	if err != nil {
		return nil, err
	}
	var found [][]statement
	for _, list := range all {
		whole := strings.EqualFold(list[0].sql, "BEGIN") && strings.EqualFold(list[len(list)-1].sql, "COMMIT")
		if whole && mentions(list, marker) {
			found = append(found, list)
		}
	}
	return found, nil
}

// readStatements returns the statements that were logged after offset, by the
// transactions that they were part of.
func readStatements(path string, offset int64) ([][]statement, error) {
	file, err := os.Open(path) //nolint:gosec // the log of the cluster made here
	if err != nil {
		return nil, fmt.Errorf("reading PostgreSQL's log: %w", err)
	}
	defer file.Close()
	if _, err := file.Seek(offset, 0); err != nil {
		return nil, fmt.Errorf("reading PostgreSQL's log: %w", err)
	}
	transactions := map[string][]statement{}
	var order []string
	for _, record := range splitRecords(file) {
		id, text, _ := strings.Cut(record, " ")
		kind, text, _ := strings.Cut(text, ":")
		text = strings.TrimSpace(text)
		switch kind {
		case "LOG":
			sql, ok := executed(text)
			if !ok {
				continue
			}
			if _, known := transactions[id]; !known {
				order = append(order, id)
			}
			transactions[id] = append(transactions[id], statement{sql: sql})
		case "DETAIL":
			if list := transactions[id]; len(list) > 0 {
				list[len(list)-1].params = parameters(text)
			}
		}
	}
	all := make([][]statement, len(order))
	for i, id := range order {
		all[i] = transactions[id]
	}
	return all, nil
}

// splitRecords returns the records of a log without their mark.
func splitRecords(file *os.File) []string {
	var records []string
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if rest, ok := strings.CutPrefix(line, logMark); ok {
			records = append(records, rest)
		} else if rest, ok := strings.CutPrefix(line, "\t"); ok && len(records) > 0 {
			records[len(records)-1] += "\n" + rest
		}
	}
	return records
}

// executed returns the statement of a record of the extended or the simple
// protocol.
func executed(text string) (string, bool) {
	kind, sql, found := strings.Cut(text, ":")
	if !found || kind != "statement" && !strings.HasPrefix(kind, "execute ") {
		return "", false
	}
	return strings.TrimSuffix(strings.TrimSpace(sql), ";"), true
}

// parameters reads a record such as: parameters: $1 = 'it”s', $2 = NULL.
func parameters(text string) map[int]*string {
	one := regexp.MustCompile(`(?s)\$(\d+) = (NULL|'((?:[^']|'')*)')`)
	values := map[int]*string{}
	for _, match := range one.FindAllStringSubmatch(text, -1) {
		var position int
		if _, err := fmt.Sscan(match[1], &position); err != nil {
			continue
		}
		if match[2] == "NULL" {
			values[position] = nil
			continue
		}
		value := strings.ReplaceAll(match[3], "''", "'")
		values[position] = &value
	}
	return values
}

func mentions(statements []statement, marker string) bool {
	for _, s := range statements {
		for _, value := range s.params {
			if value != nil && *value == marker {
				return true
			}
		}
	}
	return false
}
