/**
 * The reasons for which `/health` is 503: codes that are part of the API, with descriptions for operators. A
 * description names no path, address or account. To add a reason, add a line here and call `Health.watch` or
 * `Health.condition` where it is detected.
 */
export const reasons = {
  log_not_writable:
    "The last append to the log failed, and none has succeeded since: the disk is full or fails, or the log's servers are down.",
  log_not_answering: "Appends to the log are under way, and none has ended for 10 seconds.",
  log_checkpoint_failing:
    "The log is appended to, but its database file cannot be written: what is appended collects in the write-ahead log, up to a bound.",
  log_servers_away: "There is no connection to the servers that keep the log.",
  queue_stopped:
    "The read model of the work queue cannot apply an event and stays before it: requests are accepted, but not run.",
  queue_stalled:
    "The read model of the work queue has not moved for 5 seconds, although the log has: requests are accepted, but not run.",
  queue_building:
    "The read models were missing or damaged, or are of another release, and are built from the log: requests are accepted, and run once the work queue is built.",
  queue_behind: "The read model of the work queue is more than 30 seconds behind the log: requests run late.",
  dispatcher_stalled:
    "The dispatcher has completed no pass for 30 seconds: requests are accepted, but not run."
} as const

export type Code = keyof typeof reasons

/** A code of another release has no description here. */
export const messageOf = (code: string): string =>
  Object.entries(reasons).find(([known]) => known === code)?.[1] ?? "This node does not know the reason."
