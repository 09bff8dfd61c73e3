package wasm

import (
	"context"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// checked makes the functions of WASI, which are the runtime's, look for an order to stop when the guest calls them. One call may take
// long, if the guest gives it a list as long as the memory, and a tank of fuel lasts for thousands of calls.
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
