/** How many petals so many flowers have. */
export const petals = (flowers) => flowers * 5;
