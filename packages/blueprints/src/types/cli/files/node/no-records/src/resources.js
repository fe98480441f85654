/** What a command works with besides its values. */
export function resourcesFor({ values }, io) {
  return {
    readInput: io.readInput,
    /** Prints data for programs, or a text for people. */
    print(data, text) {
      io.write(values.json === true ? `${JSON.stringify(data, undefined, 2)}\n` : `${text}\n`);
    },
  };
}
