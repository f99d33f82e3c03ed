export interface Recorded {
  readonly file: string
  readonly own: number
  readonly children: number
  readonly wall: number
}
