package lending

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// limitEUR is the largest amount granted without approval.
const limitEUR = 5000

// euroRates returns the value of one unit of a currency in EUR. A workflow must decide the same on every
// replay, so the example uses fixed rates; a real one would request the rate of the day in an activity.
func euroRates() map[LoanApplicationCurrency]*big.Rat {
	return map[LoanApplicationCurrency]*big.Rat{
		LoanApplicationCurrencyEur: big.NewRat(1, 1),
		LoanApplicationCurrencyUsd: big.NewRat(92, 100),
		LoanApplicationCurrencyGbp: big.NewRat(117, 100),
	}
}

// decimal is the pattern of an amount. It bounds digits and exponent, because big.Rat would spend any amount of
// memory on 1e999999999.
const decimal = `^[0-9]{1,15}(\.[0-9]{1,10})?([eE][+-]?[0-9])?$`

// amountInEUR reads AMOUNT, which arrives as a JSON string or number, and converts it from CURRENCY. An application
// that names no currency means EUR. It fails on anything that is not a plain non-negative decimal, and on a currency
// without a rate.
func amountInEUR(amount json.RawMessage, currency LoanApplicationCurrency) (*big.Rat, error) {
	digits := textOf(amount)
	if matched, err := regexp.MatchString(decimal, digits); err != nil || !matched {
		return nil, fmt.Errorf("AMOUNT %.40q is not a decimal number", digits)
	}
	value, ok := new(big.Rat).SetString(digits)
	if !ok {
		return nil, fmt.Errorf("AMOUNT %.40q is not a decimal number", digits)
	}
	if currency == "" {
		currency = LoanApplicationCurrencyEur
	}
	rate, ok := euroRates()[currency]
	if !ok {
		return nil, fmt.Errorf("CURRENCY %.40q has no rate", currency)
	}
	return value.Mul(value, rate), nil
}

// needsApproval reports whether an amount in EUR is above the limit; the limit itself is not.
func needsApproval(amount *big.Rat) bool {
	return amount.Cmp(big.NewRat(limitEUR, 1)) > 0
}

// textOf returns the content of a JSON string without surrounding spaces, the digits of a JSON number, and empty for
// everything else.
func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return strings.TrimSpace(text)
	}
	var number json.Number
	if json.Unmarshal(raw, &number) == nil {
		return number.String()
	}
	return ""
}
