package lending

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAmountInEUR(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		amount, currency string
		want             string
		approval         bool
	}{
		"string":                       {`"1200.50"`, "EUR", "1200.50", false},
		"number":                       {`1200.5`, "EUR", "1200.50", false},
		"number with exponent":         {`5e3`, "EUR", "5000.00", false},
		"string with spaces":           {`" 10 "`, "EUR", "10.00", false},
		"the limit itself":             {`"5000"`, "EUR", "5000.00", false},
		"just above the limit":         {`5000.000001`, "EUR", "5000.00", true},
		"dollars below the limit":      {`5434`, "USD", "4999.28", false},
		"dollars above the limit":      {`"5435"`, "USD", "5000.20", true},
		"pounds below the limit":       {`"4273.50"`, "GBP", "5000.00", false},
		"pounds above the limit":       {`4273.51`, "GBP", "5000.01", true},
		"no currency":                  {`7000`, "", "7000.00", true},
		"more digits than a float has": {`100000000000000.01`, "EUR", "100000000000000.01", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := amountInEUR(json.RawMessage(test.amount), LoanApplicationCurrency(test.currency))
			require.NoError(t, err)
			require.Equal(t, test.want, got.FloatString(2))
			require.Equal(t, test.approval, needsApproval(got))
		})
	}
}

func TestAmountInEURRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ amount, currency, want string }{
		"nothing":          {``, "EUR", `AMOUNT "" is not a decimal number`},
		"null":             {`null`, "EUR", `AMOUNT "" is not a decimal number`},
		"words":            {`"a lot"`, "EUR", `AMOUNT "a lot" is not a decimal number`},
		"negative":         {`-1`, "EUR", `AMOUNT "-1" is not a decimal number`},
		"fraction":         {`"1/3"`, "EUR", `AMOUNT "1/3" is not a decimal number`},
		"huge exponent":    {`1e999999999`, "EUR", `AMOUNT "1e999999999" is not a decimal number`},
		"object":           {`{}`, "EUR", `AMOUNT "" is not a decimal number`},
		"unknown currency": {`1`, "XTS", `CURRENCY "XTS" has no rate`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := amountInEUR(json.RawMessage(test.amount), LoanApplicationCurrency(test.currency))
			require.EqualError(t, err, test.want)
		})
	}
}
