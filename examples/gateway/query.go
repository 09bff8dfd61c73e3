package main

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/step"
)

// Codes that this program adds to those of package fault.
const (
	notFound   fault.Code = "NotFound"   // there is no such page, or no such product
	notAllowed fault.Code = "NotAllowed" // the method isn't GET
)

// Query is a valid request.
type Query struct {
	SKU      string
	Currency string
	Quantity int
}

// asked is a variable in the state of the run, by which later stages find the query.
var asked = step.NewVar[Query]("query")

const maxQuantity = 99

var skuForm = regexp.MustCompile(`^[A-Z]{2}-[0-9]{4}$`)

// parse is the first stage: GET /products/{sku}?currency=EUR&quantity=1, both parameters optional.
func parse(as step.Scope, r *http.Request) (Query, error) {
	sku, found := strings.CutPrefix(r.URL.Path, "/products/")
	switch {
	case !found:
		return Query{}, fault.New(notFound, "products are at /products/{sku}")
	case r.Method != http.MethodGet:
		return Query{}, fault.New(notAllowed, "use GET")
	case !skuForm.MatchString(sku):
		return Query{}, invalid("a product is named like AB-1234, not %q", sku)
	}
	q := Query{SKU: sku, Currency: "EUR", Quantity: 1}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return Query{}, fault.Wrap(fault.InvalidRequest, "malformed query", err)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if len(values[name]) > 1 {
			return Query{}, invalid("%s is given twice", name)
		}
		if err := q.set(name, values.Get(name)); err != nil {
			return Query{}, err
		}
	}
	asked.Set(as, q)
	return q, nil
}

func (q *Query) set(name, value string) error {
	switch name {
	case "currency":
		switch value {
		case "EUR", "GBP", "USD":
			q.Currency = value
		default:
			return invalid("the currency is EUR, GBP or USD, not %q", value)
		}
	case "quantity":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > maxQuantity {
			return invalid("the quantity is 1 to %d, not %q", maxQuantity, value)
		}
		q.Quantity = n
	default:
		return invalid("there is no parameter %q", name)
	}
	return nil
}

func invalid(format string, args ...any) error {
	return fault.New(fault.InvalidRequest, fmt.Sprintf(format, args...))
}
