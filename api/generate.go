package api

// This runs before the generators that read the contracts: go generate visits packages in the order of their paths.
//go:generate go run ../tools/bundle openapi/admin openapi/shape_a openapi/shape_b
