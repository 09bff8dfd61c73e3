// Stands in for the SDK of Temporal, which would bring some fifty modules for
// one example that needs a server to run: the types that the example uses.
module go.temporal.io/sdk

go 1.26.0
