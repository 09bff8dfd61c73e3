package site

import "testing"

// As a rule source calls a package by the last part of its path, or by the part before if the last one is a major version.
func TestBaseOfPackage(t *testing.T) {
	for full, want := range map[string]string{
		"main.parse":                         "main",
		"example.com/shop.parse":             "shop",
		"example.com/shop/v2.(*Store).Get":   "shop",
		"example.com/shop/v2/stock.parse":    "stock",
		"v2.parse":                           "v2", // a module with this name has no part before
		"example.com/my%2eshop.parse.func1":  "my.shop",
		"example.com/shop/v2x.parse[...].f1": "v2x",
	} {
		if got := parse(full).base(); got != want {
			t.Errorf("%s: %q, want %q", full, got, want)
		}
	}
}
