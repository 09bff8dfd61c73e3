package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// order is a line of the result.
type order struct {
	country string
	cents   int64
	text    []byte
}

// totals holds cents by country.
type totals map[string]int64

var (
	errFields  = errors.New("an order has four fields: number, country, article, pieces")
	errArticle = errors.New("there is no such article")
	errPieces  = errors.New("an order has one piece or more")
)

// price parses a line, looks its price up and computes the total.
func price(_ context.Context, line string) (order, error) {
	number, rest, _ := strings.Cut(line, ",")
	country, rest, _ := strings.Cut(rest, ",")
	article, pieces, ok := strings.Cut(rest, ",")
	if !ok {
		return order{}, errFields
	}
	n, err := strconv.ParseInt(pieces, 10, 32)
	if err != nil {
		return order{}, err
	}
	if n < 1 {
		return order{}, errPieces
	}
	if _, err := strconv.ParseUint(number, 10, 64); err != nil {
		return order{}, err
	}
	each, ok := prices[article]
	if !ok {
		return order{}, errArticle
	}
	cents := n * each * int64(100+taxes[country]) / 100
	text := make([]byte, 0, len(line)+12)
	text = append(text, line...)
	text = append(text, ',')
	text = strconv.AppendInt(text, cents, 10)
	return order{country, cents, append(text, '\n')}, nil
}

var (
	articles  = [...]string{"anvil", "bellows", "crucible", "drill", "engine"}
	countries = [...]string{"Austria", "Belgium", "Chile", "Denmark", "Estonia", "France"}
	prices    = map[string]int64{"anvil": 19900, "bellows": 4950, "crucible": 1250, "drill": 8900, "engine": 99900}
	taxes     = map[string]int{"Austria": 20, "Belgium": 21, "Chile": 19, "Denmark": 25, "Estonia": 24, "France": 20}
)

// generate writes orders of at least size bytes. One line in a thousand is no order. It ends early when ctx does.
func generate(ctx context.Context, to io.Writer, size int64) (written int64, err error) {
	w := bufio.NewWriterSize(to, 1<<16)
	for i := 0; written < size; i++ {
		if i%1024 == 0 && ctx.Err() != nil {
			return written, errors.Join(w.Flush(), context.Cause(ctx))
		}
		pieces := strconv.Itoa(1 + i%97)
		if i%1000 == 999 {
			pieces = "many"
		}
		n, err := fmt.Fprintf(w, "%010d,%s,%s,%s\n", i, countries[i%len(countries)], articles[i%len(articles)], pieces)
		if written += int64(n); err != nil {
			return written, err
		}
	}
	return written, w.Flush()
}
