/* Runs a case of cmd/libfutoin/testdata, whose main is compiled as driver_main. */
int driver_main(int argc, char** argv);

__attribute__((export_name("drive"))) int drive(char* name)
{
    char* argv[] = {"driver", name, 0};

    return driver_main(2, argv);
}
