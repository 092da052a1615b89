/** What a client's errors begin with: a user has asked for something, and not for an address. */
const request = /\b(?:GET|PUT|POST|PATCH|DELETE) \/\S+: /g

/** An error in the words of the server or the program, for people. */
export const told = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(request, '')
