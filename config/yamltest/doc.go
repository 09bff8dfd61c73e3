// Package yamltest has tests that read settings from YAML. It is a module of its own, so that no user of the library
// depends on a library for YAML.
package yamltest
