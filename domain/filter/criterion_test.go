package filter_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/filter"
)

func index() map[string]filter.Type {
	return map[string]filter.Type{
		"NAME": filter.String, "AMOUNT": filter.Number, "DUE": filter.Date,
		"a b": filter.String, "100%": filter.Number, "Ñ": filter.String, "ODD": "OTHER",
	}
}

func TestParse(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	text := func(operator filter.Operator, operands ...string) filter.Criterion {
		return filter.Criterion{Field: "NAME", Type: filter.String, Operator: operator, Operands: operands}
	}
	number := func(operator filter.Operator, operands ...string) filter.Criterion {
		return filter.Criterion{Field: "AMOUNT", Type: filter.Number, Operator: operator, Operands: operands}
	}
	date := func(operator filter.Operator, operands ...string) filter.Criterion {
		return filter.Criterion{Field: "DUE", Type: filter.Date, Operator: operator, Operands: operands}
	}
	for expression, want := range map[string]filter.Criterion{
		"NAME eq simple":              text(filter.Eq, "simple"),
		"NAME eq two%20words":         text(filter.Eq, "two words"),
		"NAME eq a+b":                 text(filter.Eq, "a+b"),
		"NAME eq a%2Bb%2bc":           text(filter.Eq, "a+b+c"),
		"NAME eq 100%25":              text(filter.Eq, "100%"),
		"NAME eq %2520":               text(filter.Eq, "%20"),
		"NAME eq %C3%B1":              text(filter.Eq, "ñ"),
		"NAME eq ñ":                   text(filter.Eq, "ñ"),
		"NAME eq ":                    text(filter.Eq, ""),
		"NAME eq a\tb":                text(filter.Eq, "a\tb"),
		"NAME eq a\u00a0b":            text(filter.Eq, "a\u00a0b"),
		"NAME eq eq":                  text(filter.Eq, "eq"),
		"NAME eq NULL":                text(filter.Eq, "NULL"),
		"NAME eq ';--":                text(filter.Eq, "';--"),
		"NAME eq 1e999999":            text(filter.Eq, "1e999999"),
		"NAME contains %25_":          text(filter.Contains, "%_"),
		"NAME contains %20":           text(filter.Contains, " "),
		"NAME in a":                   text(filter.In, "a"),
		"NAME in a b%20c a":           text(filter.In, "a", "b c", "a"),
		"NAME in  a ":                 text(filter.In, "", "a", ""),
		"%4EAME %65q x":               text(filter.Eq, "x"),
		"AMOUNT eq 0":                 number(filter.Eq, "0"),
		"AMOUNT eq -0":                number(filter.Eq, "-0"),
		"AMOUNT eq 1.50":              number(filter.Eq, "1.50"),
		"AMOUNT le -12.5e-07":         number(filter.Le, "-12.5e-07"),
		"AMOUNT ge 1E+400":            number(filter.Ge, "1E+400"),
		"AMOUNT ge 1%2E5":             number(filter.Ge, "1.5"),
		"AMOUNT between 10 20.5":      number(filter.Between, "10", "20.5"),
		"AMOUNT between 2 1":          number(filter.Between, "2", "1"),
		"AMOUNT in 1 2 3":             number(filter.In, "1", "2", "3"),
		"AMOUNT eq 9007199254740993":  number(filter.Eq, "9007199254740993"),
		"DUE eq 2024-02-29":           date(filter.Eq, "2024-02-29"),
		"DUE le 0001-01-01":           date(filter.Le, "0001-01-01"),
		"DUE ge 9999-12-31":           date(filter.Ge, "9999-12-31"),
		"DUE in 2024-01-01":           date(filter.In, "2024-01-01"),
		"DUE eq 2024-01-31T23:30:00Z": date(filter.Eq, "2024-01-31T23:30:00Z"),
		"DUE between 2024-01-31T23:30:00-05:00 2024-02-01T00:30:00.123%2B05:00": date(filter.Between,
			"2024-01-31T23:30:00-05:00", "2024-02-01T00:30:00.123+05:00"),
		"DUE le 2024-01-31t00:00:00+01:00": date(filter.Le, "2024-01-31T00:00:00+01:00"),
		"DUE contains -01-":                date(filter.Contains, "-01-"),
		"DUE contains t23":                 date(filter.Contains, "t23"),
		"AMOUNT contains .5":               number(filter.Contains, ".5"),
		"NAME le m":                        text(filter.Le, "m"),
		"NAME ge m":                        text(filter.Ge, "m"),
		"NAME between a%20 b":              text(filter.Between, "a ", "b"),
		"a%20b eq x":                       {Field: "a b", Type: filter.String, Operator: filter.Eq, Operands: []string{"x"}},
		"100%25 eq 1":                      {Field: "100%", Type: filter.Number, Operator: filter.Eq, Operands: []string{"1"}},
		"Ñ contains x":                     {Field: "Ñ", Type: filter.String, Operator: filter.Contains, Operands: []string{"x"}},
	} {
		t.Run(expression, func(t *testing.T) {
			t.Parallel()
			got, err := filter.Parse(expression, index())
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}

func TestParseRefuses(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	const (
		operators = ": they are eq, le, ge, between, contains and in"
		shape     = "must be a field, an operator and one or more operands, with one space between them"
		digits    = "is not a number such as -12.5 or 1e3"
		dates     = "is neither a date such as 2006-01-02 nor a date and time such as 2006-01-02T15:04:05Z"
	)
	for _, c := range []struct{ expression, want string }{
		{"", shape},
		{"NAME", shape},
		{"NAME eq", shape},
		{"NAME%20eq%20x", shape},
		{"NAME\teq\tx", shape},
		{"name eq x", `"name" is not an indexed field`},
		{" NAME eq x", `"" is not an indexed field`},
		{"data.NAME eq x", `"data.NAME" is not an indexed field`},
		{`";drop eq x`, `"\";drop" is not an indexed field`},
		{"OTHER ne x", `"OTHER" is not an indexed field`},
		{strings.Repeat("é", 60) + " eq x", `"` + strings.Repeat("é", 50) + `"… is not an indexed field`},
		{"NAME EQ x", `"EQ" is not an operator` + operators},
		{"NAME  eq x", `"" is not an operator` + operators},
		{"DUE gt 2024-01-01", `"gt" is not an operator` + operators},
		{"NAME between a", "operator between needs 2 operands, not 1"},
		{"AMOUNT contains ", "operator contains needs an operand that is not empty"},
		{"NAME eq two words", "operator eq needs 1 operand, not 2: a space within it is written %20"},
		{"NAME eq  x", "operator eq needs 1 operand, not 2: a space within it is written %20"},
		{"NAME contains a b", "operator contains needs 1 operand, not 2: a space within it is written %20"},
		{"NAME contains ", "operator contains needs an operand that is not empty"},
		{"AMOUNT le 1 2", "operator le needs 1 operand, not 2: a space within it is written %20"},
		{"AMOUNT ge 1 2", "operator ge needs 1 operand, not 2: a space within it is written %20"},
		{"AMOUNT between 1", "operator between needs 2 operands, not 1"},
		{"AMOUNT between 1 2 3", "operator between needs 2 operands, not 3"},
		{"NAME in" + strings.Repeat(" x", 101), "has more than 100 operands"},
		{"NAME eq 100%", `part 3, "100%", is not percent-encoded: a percent sign is written %25`},
		{"NAME eq %zz", `part 3, "%zz", is not percent-encoded: a percent sign is written %25`},
		{"NAME %eq x", `part 2, "%eq", is not percent-encoded: a percent sign is written %25`},
		{"% eq x", `part 1, "%", is not percent-encoded: a percent sign is written %25`},
		{"NAME eq %ff", `part 3, "%ff", is not UTF-8`},
		{"NAME eq \xff", `part 3, "\xff", is not UTF-8`},
		{"NAME eq %ed%a0%80", `part 3, "%ed%a0%80", is not UTF-8`},
		{"NAME eq a%00", `part 3, "a%00", has a NUL character`},
		{"NAME eq \x00", `part 3, "\x00", has a NUL character`},
		{"AMOUNT eq ", `operand 1 of field "AMOUNT", "", ` + digits},
		{"AMOUNT in 1  2", `operand 2 of field "AMOUNT", "", ` + digits},
		{"AMOUNT eq x", `operand 1 of field "AMOUNT", "x", ` + digits},
		{"AMOUNT between 1 x", `operand 2 of field "AMOUNT", "x", ` + digits},
		{"AMOUNT eq NaN", `operand 1 of field "AMOUNT", "NaN", ` + digits},
		{"AMOUNT eq Infinity", `operand 1 of field "AMOUNT", "Infinity", ` + digits},
		{"AMOUNT eq 1e999999", `operand 1 of field "AMOUNT", "1e999999", is a number with an exponent beyond ±400`},
		{"AMOUNT eq 1e-401", `operand 1 of field "AMOUNT", "1e-401", is a number with an exponent beyond ±400`},
		{"AMOUNT eq 1e99999999999999999999", `operand 1 of field "AMOUNT", "1e99999999999999999999", is a number with an exponent beyond ±400`},
		{
			"AMOUNT eq " + strings.Repeat("9", 1001),
			`operand 1 of field "AMOUNT", "` + strings.Repeat("9", 50) + `"…, is a number of more than 1000 characters`,
		},
		{"DUE eq 2024-02-30", `operand 1 of field "DUE", "2024-02-30", ` + dates},
		{"DUE eq yesterday", `operand 1 of field "DUE", "yesterday", ` + dates},
		{"ODD eq x", `operand 1 of field "ODD", "x", has no known type, but "OTHER"`},
	} {
		t.Run(c.expression, func(t *testing.T) {
			t.Parallel()
			got, err := filter.Parse(c.expression, index())
			require.EqualError(t, err, c.want)
			require.Zero(t, got)
		})
	}
}

func TestParseTakesAsManyOperandsAsAllowed(t *testing.T) {
	t.Parallel()
	got, err := filter.Parse("NAME in"+strings.Repeat(" x", 100), index())
	require.NoError(t, err)
	require.Len(t, got.Operands, 100)
}

func TestNormalize(t *testing.T) {
	t.Parallel()
	for _, number := range []string{
		"0", "-0", "0.0", "10", "-1", "1.50", "1e3", "1E3", "1e+3", "1e-3", "1e003", "0e0", "-0.10E-10", "1e400", "1e-400",
		strings.Repeat("9", 1000), "0." + strings.Repeat("0", 998),
	} {
		got, err := filter.Normalize(filter.Number, number)
		require.NoError(t, err, number)
		require.Equal(t, number, got)
	}
	for _, number := range []string{
		"", "-", "+1", "--1", "01", "-01", "1.", ".5", "1..2", "1.2.3", "1e", "e1", "1e+", "1e+-1", "1e--1", "1e1.5", "1e1e1", " 1", "1 ", "1,5", "1_0",
		"0x10", "٣", "1f", "nan", "-Infinity", "1e401", "1/2", "'1'", "true", "null",
	} {
		_, err := filter.Normalize(filter.Number, number)
		require.Error(t, err, number)
	}
	for value, want := range map[string]string{
		"2024-12-31":                     "2024-12-31",
		"2024-12-31T24:00:00Z":           "",
		"2024-12-31T23:59:59Z":           "2024-12-31T23:59:59Z",
		"2024-12-31T23:59:59.999999999Z": "2024-12-31T23:59:59.999999999Z",
		"2024-12-31t23:59:59z":           "2024-12-31T23:59:59Z",
		"2024-12-31T00:00:00+14:00":      "2024-12-31T00:00:00+14:00",
		"2024-12-31T23:59:59-12:00":      "2024-12-31T23:59:59-12:00",
		"2024-12-31T00:00:00":            "",
		"2024-12-31T00:00Z":              "",
		"2024-12-31 00:00:00Z":           "",
		"2024-12-31Z":                    "",
		"2024-12-3":                      "",
		"2024-1-31":                      "",
		"2023-02-29":                     "",
		"2024-13-01":                     "",
		"2024-00-01":                     "",
		"0000-01-01":                     "",
		"0000-01-01T00:00:00Z":           "",
		"10000-01-01":                    "",
		"-2024-01-01":                    "",
		"20241231":                       "",
		"31/12/2024":                     "",
		"infinity":                       "",
		"":                               "",
		"٢٠٢٤-١":                         "",
	} {
		got, err := filter.Normalize(filter.Date, value)
		require.Equal(t, want, got, value)
		require.Equal(t, want == "", err != nil, value)
	}
	got, err := filter.Normalize(filter.String, " Any\u00a0text ")
	require.NoError(t, err)
	require.Equal(t, " Any\u00a0text ", got)
	_, err = filter.Normalize(filter.String, "a\x00b")
	require.EqualError(t, err, "has a NUL character")
}

func TestMoment(t *testing.T) {
	t.Parallel()
	for normal, want := range map[string]struct {
		day, at string
		timed   bool
	}{
		"2024-12-31":                        {"2024-12-31", "2024-12-31T00:00:00Z", false},
		"2024-12-31T23:59:59Z":              {"2024-12-31", "2024-12-31T23:59:59Z", true},
		"2024-12-31T23:59:59-05:00":         {"2024-12-31", "2025-01-01T04:59:59Z", true},
		"2024-12-31T00:00:00.1234569+23:59": {"2024-12-31", "2024-12-30T00:01:00.123456Z", true},
		"0001-01-01T00:00:00+14:00":         {"0001-01-01", "0000-12-31T10:00:00Z", true},
	} {
		day, at, timed := filter.Moment(normal)
		require.Equal(t, want.day, day, normal)
		require.Equal(t, want.at, at.Format(time.RFC3339Nano), normal)
		require.Equal(t, want.timed, timed, normal)
	}
}
