/** One guest for its whole life. A VMI of the same name with another UID is another guest. */
export interface Guest {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** What the work queue calls a guest. */
export const guestKey = ({ namespace, name, uid }: Guest): string => `${namespace}/${name}/${uid}`

/** Inverse of `guestKey`. */
export function parseGuestKey(key: string): Guest {
  const [namespace = '', name = '', uid = ''] = key.split('/')
  return { namespace, name, uid }
}

/** `namespace/name`, as informers know the guest's VMI. */
export const vmiKey = ({ namespace, name }: Guest): string => `${namespace}/${name}`
