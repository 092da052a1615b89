/** What a request is answered with; a refusal says why in words for the user. */
export interface Reply {
  readonly status: number
  readonly body: string | Buffer
  readonly contentType: string
}

export const json = (value: unknown): Reply => ({
  status: 200,
  body: typeof value === 'string' ? value : JSON.stringify(value),
  contentType: 'application/json',
})

export const picture = (body: Buffer, contentType: string): Reply => ({ status: 200, body, contentType })

export const done: Reply = { status: 202, body: '', contentType: 'text/plain' }

export const refusal = (status: number, body: string): Reply => ({ status, body, contentType: 'text/plain' })
