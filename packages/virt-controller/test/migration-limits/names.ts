export const nodeNames = ['n1', 'n2', 'n3']
export const guestNames = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
