package criteria_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/criteria"
)

func index() map[string]criteria.Type {
	return map[string]criteria.Type{
		"NAME": criteria.String, "AMOUNT": criteria.Number, "DUE": criteria.Date,
		"a b": criteria.String, "100%": criteria.Number, "Ñ": criteria.String, "ODD": "OTHER",
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	text := func(operator criteria.Operator, operands ...string) criteria.Criterion {
		return criteria.Criterion{Field: "NAME", Type: criteria.String, Operator: operator, Operands: operands}
	}
	number := func(operator criteria.Operator, operands ...string) criteria.Criterion {
		return criteria.Criterion{Field: "AMOUNT", Type: criteria.Number, Operator: operator, Operands: operands}
	}
	date := func(operator criteria.Operator, operands ...string) criteria.Criterion {
		return criteria.Criterion{Field: "DUE", Type: criteria.Date, Operator: operator, Operands: operands}
	}
	for expression, want := range map[string]criteria.Criterion{
		"NAME eq simple":              text(criteria.Eq, "simple"),
		"NAME eq two%20words":         text(criteria.Eq, "two words"),
		"NAME eq a+b":                 text(criteria.Eq, "a+b"),
		"NAME eq a%2Bb%2bc":           text(criteria.Eq, "a+b+c"),
		"NAME eq 100%25":              text(criteria.Eq, "100%"),
		"NAME eq %2520":               text(criteria.Eq, "%20"),
		"NAME eq %C3%B1":              text(criteria.Eq, "ñ"),
		"NAME eq ñ":                   text(criteria.Eq, "ñ"),
		"NAME eq ":                    text(criteria.Eq, ""),
		"NAME eq a\tb":                text(criteria.Eq, "a\tb"),
		"NAME eq a\u00a0b":            text(criteria.Eq, "a\u00a0b"),
		"NAME eq eq":                  text(criteria.Eq, "eq"),
		"NAME eq NULL":                text(criteria.Eq, "NULL"),
		"NAME eq ';--":                text(criteria.Eq, "';--"),
		"NAME eq 1e999999":            text(criteria.Eq, "1e999999"),
		"NAME contains %25_":          text(criteria.Contains, "%_"),
		"NAME contains %20":           text(criteria.Contains, " "),
		"NAME in a":                   text(criteria.In, "a"),
		"NAME in a b%20c a":           text(criteria.In, "a", "b c", "a"),
		"NAME in  a ":                 text(criteria.In, "", "a", ""),
		"%4EAME %65q x":               text(criteria.Eq, "x"),
		"AMOUNT eq 0":                 number(criteria.Eq, "0"),
		"AMOUNT eq -0":                number(criteria.Eq, "-0"),
		"AMOUNT eq 1.50":              number(criteria.Eq, "1.50"),
		"AMOUNT le -12.5e-07":         number(criteria.Le, "-12.5e-07"),
		"AMOUNT ge 1E+400":            number(criteria.Ge, "1E+400"),
		"AMOUNT ge 1%2E5":             number(criteria.Ge, "1.5"),
		"AMOUNT between 10 20.5":      number(criteria.Between, "10", "20.5"),
		"AMOUNT between 2 1":          number(criteria.Between, "2", "1"),
		"AMOUNT in 1 2 3":             number(criteria.In, "1", "2", "3"),
		"AMOUNT eq 9007199254740993":  number(criteria.Eq, "9007199254740993"),
		"DUE eq 2024-02-29":           date(criteria.Eq, "2024-02-29"),
		"DUE le 0001-01-01":           date(criteria.Le, "0001-01-01"),
		"DUE ge 9999-12-31":           date(criteria.Ge, "9999-12-31"),
		"DUE in 2024-01-01":           date(criteria.In, "2024-01-01"),
		"DUE eq 2024-01-31T23:30:00Z": date(criteria.Eq, "2024-01-31T23:30:00Z"),
		"DUE between 2024-01-31T23:30:00-05:00 2024-02-01T00:30:00.123%2B05:00": date(criteria.Between,
			"2024-01-31T23:30:00-05:00", "2024-02-01T00:30:00.123+05:00"),
		"DUE le 2024-01-31t00:00:00+01:00": date(criteria.Le, "2024-01-31T00:00:00+01:00"),
		"DUE contains -01-":                date(criteria.Contains, "-01-"),
		"DUE contains t23":                 date(criteria.Contains, "t23"),
		"AMOUNT contains .5":               number(criteria.Contains, ".5"),
		"NAME le m":                        text(criteria.Le, "m"),
		"NAME ge m":                        text(criteria.Ge, "m"),
		"NAME between a%20 b":              text(criteria.Between, "a ", "b"),
		"a%20b eq x":                       {Field: "a b", Type: criteria.String, Operator: criteria.Eq, Operands: []string{"x"}},
		"100%25 eq 1":                      {Field: "100%", Type: criteria.Number, Operator: criteria.Eq, Operands: []string{"1"}},
		"Ñ contains x":                     {Field: "Ñ", Type: criteria.String, Operator: criteria.Contains, Operands: []string{"x"}},
	} {
		t.Run(expression, func(t *testing.T) {
			t.Parallel()
			got, err := criteria.Parse(expression, index())
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}

func TestParseRefuses(t *testing.T) {
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
			got, err := criteria.Parse(c.expression, index())
			require.EqualError(t, err, c.want)
			require.Zero(t, got)
		})
	}
}

func TestParseTakesAsManyOperandsAsAllowed(t *testing.T) {
	t.Parallel()
	got, err := criteria.Parse("NAME in"+strings.Repeat(" x", 100), index())
	require.NoError(t, err)
	require.Len(t, got.Operands, 100)
}

func TestNormalize(t *testing.T) {
	t.Parallel()
	for _, number := range []string{
		"0", "-0", "0.0", "10", "-1", "1.50", "1e3", "1E3", "1e+3", "1e-3", "1e003", "0e0", "-0.10E-10", "1e400", "1e-400",
		strings.Repeat("9", 1000), "0." + strings.Repeat("0", 998),
	} {
		got, err := criteria.Normalize(criteria.Number, number)
		require.NoError(t, err, number)
		require.Equal(t, number, got)
	}
	for _, number := range []string{
		"", "-", "+1", "--1", "01", "-01", "1.", ".5", "1..2", "1.2.3", "1e", "e1", "1e+", "1e+-1", "1e--1", "1e1.5", "1e1e1", " 1", "1 ", "1,5", "1_0",
		"0x10", "٣", "1f", "nan", "-Infinity", "1e401", "1/2", "'1'", "true", "null",
	} {
		_, err := criteria.Normalize(criteria.Number, number)
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
		got, err := criteria.Normalize(criteria.Date, value)
		require.Equal(t, want, got, value)
		require.Equal(t, want == "", err != nil, value)
	}
	got, err := criteria.Normalize(criteria.String, " Any\u00a0text ")
	require.NoError(t, err)
	require.Equal(t, " Any\u00a0text ", got)
	_, err = criteria.Normalize(criteria.String, "a\x00b")
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
		day, at, timed := criteria.Moment(normal)
		require.Equal(t, want.day, day, normal)
		require.Equal(t, want.at, at.Format(time.RFC3339Nano), normal)
		require.Equal(t, want.timed, timed, normal)
	}
}
