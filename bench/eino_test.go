package bench

import (
	"context"

	"github.com/cloudwego/eino/compose"
)

// lambda returns f as a node of eino.
func lambda(f add) *compose.Lambda {
	return compose.InvokableLambda(func(_ context.Context, i int) (int, error) { return f(i) })
}
