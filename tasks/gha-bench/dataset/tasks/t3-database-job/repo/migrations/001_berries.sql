create table berries (name text primary key, ripens int not null check (ripens between 1 and 12));
