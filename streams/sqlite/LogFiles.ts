/** The files of a log in a data directory. */
export const files = (directory: string) => ({
  log: `${directory}/log.sqlite`,
  head: `${directory}/log.head`
})
