package wasm

import (
	"context"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// checked makes the runtime's functions of WASI look for an order to stop whenever the guest calls them. Fuel isn't enough here: a tank
// lasts for thousands of calls, and each may take long if the guest passes a list as long as its memory.
//
// It implements experimental.FunctionListenerFactory and experimental.FunctionListener.
type checked struct{}

// NewFunctionListener implements experimental.FunctionListenerFactory.
func (c checked) NewFunctionListener(api.FunctionDefinition) experimental.FunctionListener { return c }

// Before implements experimental.FunctionListener.
func (checked) Before(ctx context.Context, _ api.Module, _ api.FunctionDefinition, _ []uint64, _ experimental.StackIterator) {
	if c, ok := ctx.(*guestContext); ok {
		c.in.check()
	}
}

// After implements experimental.FunctionListener.
func (checked) After(context.Context, api.Module, api.FunctionDefinition, []uint64) {}

// Abort implements experimental.FunctionListener.
func (checked) Abort(context.Context, api.Module, api.FunctionDefinition, error) {}
