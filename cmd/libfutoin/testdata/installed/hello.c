#include <ftngo.h>

#include <stdio.h>

static void greets(FutoInAsyncSteps* as, void* data, const FutoInArgs* args)
{
    (void) as;
    (void) args;
    puts(data);
}

int main(void)
{
    ftngo_tool* tool = ftngo_tool_new();
    FutoInAsyncSteps* root = ftngo_root_new(tool);

    root->api->add(root, "installed", greets, NULL);
    root->api->execute(root, NULL, NULL);
    ftngo_run(tool, 10000);
    ftngo_root_free(tool, root);
    return ftngo_tool_free(tool);
}
