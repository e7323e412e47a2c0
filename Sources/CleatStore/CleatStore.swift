// placeholder until the store stands
